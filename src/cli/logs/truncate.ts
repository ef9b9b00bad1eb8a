// Truncates log files in the command process, because freeing gigabytes on a file system would block the daemon. Apps
// have the files open with O_APPEND, so they continue at the new end.
import { statSync, truncateSync } from 'node:fs';
import { detailOf, failure, type NsvError } from '../../shared/errors.ts';
import { isOurOutput } from './our-output.ts';

export interface Emptied {
  file: string;
  /** The previous size. */
  bytes: number;
}

/** Truncates all files it can; returns the first failure. Skips files that are missing or empty. */
export function emptyFiles(files: readonly string[]): { emptied: Emptied[]; failure: NsvError | undefined } {
  const emptied: Emptied[] = [];
  const failures: NsvError[] = [];
  for (const file of files) {
    try {
      const bytes = emptyFile(file);
      if (bytes > 0) emptied.push({ file, bytes });
    } catch (cause) {
      failures.push(failure('CANNOT_OPEN_LOG', { file, detail: detailOf(cause) }, { cause }));
    }
  }
  return { emptied, failure: failures[0] };
}

/** Skips FIFOs, which have no size and may block on open, and the output of this command. */
function emptyFile(file: string): number {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile() || isOurOutput(found)) return 0;
  truncateSync(file);
  return found.size;
}
