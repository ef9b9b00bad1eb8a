import { failure } from '../../shared/errors.ts';
import { renderSize } from '../../shared/units.ts';
import { type Command, jsonOption } from '../command.ts';
import { answerOf, oneProcess } from '../inspect/one-process.ts';
import { printEither } from '../print.ts';

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
    const { before, after } = memoriesOf(await answerOf(context, process, { kind: 'gc' }), name);
    printEither(context.out, { id, name, slot, pid, before, after }, () =>
      [
        `heap in use  ${renderSize(before.heapUsed)} → ${renderSize(after.heapUsed)}`,
        `memory       ${renderSize(before.rss)} → ${renderSize(after.rss)}`,
      ].join('\n'),
    );
  },
};

/** Throws CANNOT_INSPECT: the answer comes from the process, which may send anything. */
function memoriesOf(text: string, name: string): { before: Memory; after: Memory } {
  try {
    const { before, after } = JSON.parse(text) as Record<string, Record<keyof Memory, unknown>>;
    return { before: memoryOf(before!), after: memoryOf(after!) };
  } catch (cause) {
    throw failure('CANNOT_INSPECT', { name, reason: 'its answer is invalid' }, { cause });
  }
}

function memoryOf({ rss, heapUsed }: Record<keyof Memory, unknown>): Memory {
  return { rss: bytesOf(rss), heapUsed: bytesOf(heapUsed) };
}

function bytesOf(value: unknown): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw new TypeError('not a number of bytes');
}
