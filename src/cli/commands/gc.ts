import { fieldsIn, type InsightAnswer, integerOf } from '../../client/insight.ts';
import { renderSize } from '../../shared/units.ts';
import { type Command, jsonOption } from '../command.ts';
import { askProcess, oneProcess } from '../inspect/one-process.ts';
import { printEither } from '../print.ts';

/** In bytes. */
interface Memory {
  rss: number;
  heapUsed: number;
}

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
    const { before, after } = await askProcess(context, process, { kind: 'gc' }, memoriesOf);
    const heap = `heap in use  ${renderSize(before.heapUsed)} → ${renderSize(after.heapUsed)}`;
    const memory = `memory       ${renderSize(before.rss)} → ${renderSize(after.rss)}`;
    printEither(context.out, { id, name, slot, pid, before, after }, () => `${heap}\n${memory}`);
  },
};

function memoriesOf({ value }: InsightAnswer): { before: Memory; after: Memory } {
  const { before, after } = fieldsIn(value);
  return { before: memoryOf(before), after: memoryOf(after) };
}

function memoryOf(value: unknown): Memory {
  const { rss, heapUsed } = fieldsIn(value);
  return { rss: integerOf(rss, 0), heapUsed: integerOf(heapUsed, 0) };
}
