// Atomic file replacement: write to a draft, sync it, and rename it (rename(2) is atomic).
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
  /** Whether the new content must survive a power cut, not just the death of the process. Default true. */
  durable?: boolean;
}

/** Replaces the content of a file. On failure it throws the system's error and leaves the file unchanged. */
export function writeAtomically(
  file: string,
  content: string,
  { mode = 0o600, durable = true }: AtomicOptions = {},
): void {
  const draft = draftOf(file);
  try {
    const fd = openSync(draft, 'w', mode);
    try {
      // The umask limits the mode of a new file, and an old draft keeps its mode.
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
 * The same without blocking on the disk: only the syncs run in another thread, and the rest takes microseconds. Calls
 * `beforeRename` when the new content is on the disk. Allow only one call at a time per file.
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

/** The file that holds the new content until it is complete. */
export function draftOf(file: string): string {
  return `${file}.tmp`;
}

/** Makes the rename survive a power cut too. */
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

/** Some file systems cannot sync a directory (fsync(2): EINVAL). Nothing more can be done there. */
function ignoreUnsupported(error: unknown): void {
  if (!['EINVAL', 'ENOTSUP'].includes(errnoOf(error) ?? '')) throw error;
}

function discard(draft: string): void {
  try {
    rmSync(draft, { force: true });
  } catch {
    // The disk is gone. The caller throws the original error.
  }
}
