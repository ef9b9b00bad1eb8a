import { resolve } from 'node:path';
import { loadProgram } from '../../client/program-bundle.ts';
import type { Grown } from '../../profile/main.ts';
import { detailOf, failure } from '../../shared/errors.ts';
import { installed } from '../../shared/paths.ts';
import { renderSize } from '../../shared/units.ts';
import { type Command, type Context, type Input, jsonOption } from '../command.ts';
import { pathFor, writeNewFile } from '../inspect/new-file.ts';
import { askProcess, confirm, oneProcess } from '../inspect/one-process.ts';
import { printEither, printPainted } from '../print.ts';
import { renderGrowth } from '../render/growth.ts';
import { printable } from '../render/text.ts';

/** Characters. A process may send anything, without an end. */
const largest = 8 * 1024 ** 3;

export const heap: Command = {
  summary: "takes a snapshot of a process's memory, or shows what has grown between two of them",
  notes: `For Node apps, without any change to them. Writes a file that only you can read, for Chrome's DevTools, into the current
directory. It contains everything in the app's memory, such as passwords.

The process stops while the snapshot is taken, for some seconds per gigabyte, and may need as much memory again; nsv asks first.`,
  arguments: [['<target...>', 'id of a process, or name of an app with one instance; with --diff, two files']],
  options: [
    ['--diff', 'compare two snapshots of one process: which classes have grown, and what keeps them'],
    ['-y, --yes', 'take the snapshot without asking'],
    ['-o, --output <file>', 'file to write (default: <app>-<slot>-<time>.heapsnapshot)'],
    jsonOption,
  ],
  examples: [
    ['nsv heap web', 'take a snapshot'],
    ['nsv heap --diff before.heapsnapshot after.heapsnapshot', 'see what has grown'],
  ],
  async run(context, { words, options }) {
    const expected = options.diff === true ? 2 : 1;
    if (words.length !== expected) {
      const detail = `nsv heap: expected ${expected === 2 ? 'two files' : 'one target'}, not ${words.length}`;
      throw failure('BAD_USAGE', { detail });
    }
    if (options.diff === true) await compare(context, words[0]!, words[1]!);
    else await take(context, words[0]!, options);
  },
};

async function take(context: Context, target: string, options: Input['options']): Promise<void> {
  const { out, cwd } = context;
  const process = await oneProcess(context, target, 'choose');
  const { id, name, slot, pid, memory } = process;
  if (options.yes !== true && pid !== null) {
    const size = memory === null ? '' : ` (${renderSize(memory)})`;
    const who = `process ${id} of "${printable(name)}"${size}`;
    await confirm(context, `a snapshot stops ${who} for seconds, and may need as much memory again. Take it?`);
  }
  const file = pathFor(process, 'heapsnapshot', cwd, options.output);
  const size = await writeNewFile(file, (part) =>
    askProcess(context, process, { kind: 'snapshot' }, () => {}, { part, longest: largest }),
  );
  printEither(out, { id, name, slot, pid, file, size }, () => `wrote ${file} (${renderSize(size)})`);
}

/** Throws CANNOT_READ_SNAPSHOT. */
async function compare({ out, cwd }: Context, first: string, second: string): Promise<void> {
  const { growthOf } = loadProgram<typeof import('../../profile/main.ts')>(installed.profile);
  let reading = first;
  let grown: Grown[];
  try {
    grown = growthOf(resolve(cwd, first), resolve(cwd, second), 10, (file) => {
      reading = file;
    });
  } catch (cause) {
    throw failure('CANNOT_READ_SNAPSHOT', { file: reading, detail: detailOf(cause) }, { cause });
  }
  await printPainted(out, grown, (paint) => renderGrowth(grown, paint));
}
