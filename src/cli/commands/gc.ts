import { answerAs } from '../../client/insight.ts';
import { natural, record, type Shape } from '../../shared/shapes.ts';
import { renderSize } from '../../shared/units.ts';
import { type Command, jsonOption } from '../command.ts';
import { askProcess, oneProcess } from '../inspect/one-process.ts';
import { printEither } from '../print.ts';

/** In bytes. */
const memory: Shape<{ rss: number; heapUsed: number }> = record({ rss: natural, heapUsed: natural });
type Memory = ReturnType<typeof memory>;

export const gc: Command = {
  summary: 'collects garbage in a process, and shows how much memory that freed',
  notes: `For Node apps, without any change to them. What stays in use after it is what the process holds on to; "nsv heap" shows what that
is. The process stops while it collects, for about a second per gigabyte.`,
  arguments: [['<target>', 'id of a process, or name of an app with one instance']],
  options: [jsonOption],
  examples: [['nsv gc web', 'an app with one instance']],
  async run(context, { words: [target = ''] }) {
    const process = await oneProcess(context, target, 'collect garbage in');
    const { id, name, slot, pid } = process;
    const { before, after } = await askProcess(context, process, { kind: 'gc' }, ({ value }) =>
      answerAs<Record<'before' | 'after', Memory>>(record({ before: memory, after: memory }), value),
    );
    const heap = `heap in use  ${renderSize(before.heapUsed)} → ${renderSize(after.heapUsed)}`;
    const resident = `memory       ${renderSize(before.rss)} → ${renderSize(after.rss)}`;
    printEither(context.out, { id, name, slot, pid, before, after }, () => `${heap}\n${resident}`);
  },
};
