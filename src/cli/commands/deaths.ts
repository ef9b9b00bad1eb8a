import { mappedDeath } from '../../client/stacks/mapped.ts';
import { failure } from '../../shared/errors.ts';
import { type Command, jsonOption } from '../command.ts';
import { printPainted } from '../print.ts';
import { renderDeath, renderDeaths } from '../render/deaths/deaths.ts';
import type { Paint } from '../render/paint.ts';

export const deaths: Command = {
  summary: 'lists why processes have ended, or shows one death with its error and last output',
  notes: `Deaths of one cause in a row are one record, with a count. The last 50 records of each app are kept, also when the daemon dies,
until the app is deleted.`,
  arguments: [
    ['[target]', 'name, id, namespace, "all" or /regex/ (default: all)'],
    ['[number]', 'of one record in the list: everything that is known about that death'],
  ],
  options: [jsonOption],
  examples: [
    ['nsv deaths', 'of all apps, the last at the bottom'],
    ['nsv deaths web 3', 'one record of an app'],
    ['nsv deaths web --json', 'all records of an app, complete, for scripts'],
  ],
  async run(context, { words: [target, number] }) {
    const { out } = context;
    if (number !== undefined && !/^[1-9]\d{0,14}$/.test(number))
      throw failure('BAD_USAGE', { detail: `the number of a record is a number, not "${number}"` });
    const client = await context.connect();
    const one = number === undefined ? {} : { number: Number(number) };
    const details = number !== undefined || out.json;
    const found = await client.deaths({ targets: target === undefined ? [] : [target], ...one, details });
    if (found.length === 0 && number !== undefined) throw failure('NO_SUCH_DEATH', { name: target ?? '', number });
    const views = found.map(mappedDeath());
    const text = (paint: Paint) => {
      if (number === undefined) return renderDeaths(views, out.terminal, paint);
      return views.map((view) => renderDeath(view, paint)).join('\n\n');
    };
    await printPainted(out, number === undefined || views.length > 1 ? views : views[0], text);
  },
};
