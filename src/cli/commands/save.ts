import { count } from '../../shared/units.ts';
import { type Command, jsonOption } from '../command.ts';
import { printEither } from '../print.ts';
import { printable } from '../render/text.ts';

export const save: Command = {
  summary: 'saves the list of apps, for "nsv resurrect" and the next boot',
  notes: `With --auto, every change to the list (apps, their settings, and whether they are meant to run) is saved a second later, until
you run --no-auto; later daemons do so too. Apps that are stopped by "nsv kill" or a shutdown stay in the list. The previous list is kept as
"saved.json.bak". Without apps, a list that has some stays as it is, unless --force is given.`,
  options: [
    ['--auto', 'save every change from now on'],
    ['--no-auto', 'save only when this command is run'],
    ['--force', 'save the list even if there are no apps'],
    ['--empty', 'save a list without apps; those that run keep running'],
    jsonOption,
  ],
  examples: [
    ['nsv save', 'keep the current apps across reboots'],
    ['nsv save --auto', 'and every later change too'],
  ],
  async run(context, { options: { auto, force, empty } }) {
    const client = await context.connect();
    const saved = await client.save({
      ...(typeof auto === 'boolean' && { auto }),
      ...(force === true && { force }),
      ...(empty === true && { empty }),
    });
    const more = saved.auto ? '; every change is saved from now on (stop with "nsv save --no-auto")' : '';
    printEither(context.out, saved, () => `saved ${count(saved.apps, 'app')} to ${printable(saved.file)}${more}`);
  },
};
