// Empties log files. The command does it and not the daemon, which must not stand while a file system frees gigabytes.
// Apps have their files open with O_APPEND, so they go on at the new end.
import { statSync, truncateSync } from 'node:fs';
import { detailOf, failure, type NsvError } from '../../shared/errors.ts';
import { isOurOutput } from './our-output.ts';

export interface Emptied {
  file: string;
  /** What it had. */
  bytes: number;
}

/** All that can be emptied, and the first failure. Files that are not there, or have nothing, are not told. */
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

/** A FIFO has no size to change, and to open one may take for ever. What we print to is none of an app's. */
function emptyFile(file: string): number {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile() || isOurOutput(found)) return 0;
  truncateSync(file);
  return found.size;
}
