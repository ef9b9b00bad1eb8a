// Files that are replaced as a whole or not at all: written beside, synced, and renamed (rename(2) is atomic).
import {
  closeSync,
  fchmodSync,
  fsync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { errnoOf } from './errno.ts';

export interface AtomicOptions {
  /** Default 0600. */
  mode?: number;
  /** Whether it is to survive a power cut, and not only the death of the process. Default true. */
  durable?: boolean;
}

/** Throws the system's error; the file is as it was then. */
export function writeAtomically(
  file: string,
  content: string,
  { mode = 0o600, durable = true }: AtomicOptions = {},
): void {
  const draft = draftOf(file);
  try {
    const fd = openSync(draft, 'w', mode);
    try {
      // The mode of a new file is cut by our mask, and that of an old draft stays.
      fchmodSync(fd, mode);
      writeFileSync(fd, content);
      if (durable) fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(draft, file);
    if (durable) syncDirectory(dirname(file));
  } catch (error) {
    discard(draft);
    throw error;
  }
}

/**
 * The same for a caller that must not stand still while the disk works: only the syncs are left to another thread, the rest
 * takes microseconds. `beforeRename` is called when the new content is on the disk. One at a time for each file.
 */
export async function writeAtomicallyInBackground(
  file: string,
  bytes: Buffer,
  beforeRename: () => void = () => {},
): Promise<void> {
  const draft = draftOf(file);
  try {
    const fd = openSync(draft, 'w', 0o600);
    try {
      for (let from = 0; from < bytes.length; ) from += writeSync(fd, bytes, from);
      await promisify(fsync)(fd);
    } finally {
      closeSync(fd);
    }
    beforeRename();
    renameSync(draft, file);
  } catch (error) {
    discard(draft);
    throw error;
  }
  const directory = openSync(dirname(file), 'r');
  try {
    await promisify(fsync)(directory).catch(ignoreUnsupported);
  } finally {
    closeSync(directory);
  }
}

/** Where the new content stands until it is complete. */
export function draftOf(file: string): string {
  return `${file}.tmp`;
}

/** The new name, too, must survive a power cut. */
function syncDirectory(directory: string): void {
  const fd = openSync(directory, 'r');
  try {
    fsyncSync(fd);
  } catch (error) {
    ignoreUnsupported(error);
  } finally {
    closeSync(fd);
  }
}

/** Some file systems cannot sync a directory (fsync(2): EINVAL); they are as safe as they can be. */
function ignoreUnsupported(error: unknown): void {
  if (!['EINVAL', 'ENOTSUP'].includes(errnoOf(error) ?? '')) throw error;
}

function discard(draft: string): void {
  try {
    rmSync(draft, { force: true });
  } catch {
    // The disk is gone: the error that led here is the one to tell.
  }
}
