import { statSync, truncateSync } from 'node:fs';
import type { LogFilesView } from '../../ipc/views.ts';
import { type AppUser, shellAs } from '../../privileges/privileges.ts';
import { detailOf, failure, type NsvError } from '../../shared/errors.ts';
import { type Command, jsonOption, someTargetsArgument } from '../command.ts';
import { isOurOutput } from '../logs/blocks.ts';
import { pathsOf } from '../logs/sources.ts';
import { printEither } from '../print.ts';
import { renderFlushed } from '../render/log-results.ts';

export const flush: Command = {
  summary: 'empties log files',
  notes: `Apps continue to write at the beginning of the emptied files, and a running "nsv logs" continues to follow them. A file that
several apps share is emptied for all of them. Devices such as /dev/null are left alone.`,
  arguments: [someTargetsArgument],
  options: [jsonOption],
  examples: [
    ['nsv flush web', 'log files of one app'],
    ['nsv flush', 'log files of all apps'],
  ],
  async run(context, { words }) {
    const client = await context.connect();
    const views = await client.logs({ targets: words });
    context.disconnect();
    const { emptied, failed } = await emptyFiles(pathsOf(views), ownersOf(views));
    printEither(context.out, emptied, () => renderFlushed(emptied));
    if (failed) throw failed;
  },
};

/** The owners of files that the user of an app has to open: it could swap them for links. */
function ownersOf(views: readonly LogFilesView[]): Map<string, AppUser> {
  return new Map(views.flatMap(({ owner }) => (owner?.files ?? []).map((file) => [file, owner as AppUser] as const)));
}

/**
 * Truncates all files it can, in the process of the command, because freeing gigabytes on a file system would block the daemon. Apps have
 * the files open with O_APPEND, so they continue at the new end. Returns those with their previous sizes, and the first failure. Skips
 * files that are missing or empty.
 */
async function emptyFiles(files: readonly string[], owners: ReadonlyMap<string, AppUser>) {
  const emptied: { file: string; bytes: number }[] = [];
  const failures: NsvError[] = [];
  for (const file of files) {
    try {
      const bytes = await emptyFile(file, owners.get(file));
      if (bytes > 0) emptied.push({ file, bytes });
    } catch (cause) {
      failures.push(failure('CANNOT_OPEN_LOG', { file, detail: detailOf(cause) }, { cause }));
    }
  }
  return { emptied, failed: failures[0] };
}

/** Skips FIFOs, which have no size and may block on open, and the output of this command. */
async function emptyFile(file: string, owner: AppUser | undefined): Promise<number> {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile() || isOurOutput(found)) return 0;
  if (owner) await shellAs(owner, '[ ! -f "$1" ] || : >"$1"', [file]);
  else truncateSync(file);
  return found.size;
}
