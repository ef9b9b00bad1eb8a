// Truncates log files in the command process, because freeing gigabytes on a file system would block the daemon. Apps
// have the files open with O_APPEND, so they continue at the new end.
import { statSync, truncateSync } from 'node:fs';
import type { LogFilesView } from '../../ipc/views.ts';
import { type AppUser, shellAs } from '../../privileges/privileges.ts';
import { detailOf, failure, type NsvError } from '../../shared/errors.ts';
import { isOurOutput } from './blocks.ts';

/** The owners of files that the user of an app has to open: it could swap them for links. */
export function ownersOf(views: readonly LogFilesView[]): Map<string, AppUser> {
  return new Map(views.flatMap(({ owner }) => (owner?.files ?? []).map((file) => [file, owner as AppUser] as const)));
}

/** Truncates all files it can; returns those with their previous sizes, and the first failure. Skips files that are missing or empty. */
export async function emptyFiles(
  files: readonly string[],
  owners: ReadonlyMap<string, AppUser> = new Map(),
): Promise<{ emptied: { file: string; bytes: number }[]; failure: NsvError | undefined }> {
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
  return { emptied, failure: failures[0] };
}

/** Skips FIFOs, which have no size and may block on open, and the output of this command. */
async function emptyFile(file: string, owner: AppUser | undefined): Promise<number> {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile() || isOurOutput(found)) return 0;
  if (owner) await shellAs(owner, '[ ! -f "$1" ] || : >"$1"', [file]);
  else truncateSync(file);
  return found.size;
}
