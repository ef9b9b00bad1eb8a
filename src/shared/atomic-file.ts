// Atomic file replacement: write to a draft, sync it, and rename it (rename(2) is atomic).
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsync,
  fsyncSync,
  ftruncateSync,
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

export interface Steps {
  /** Called when the draft is complete. A power cut may still lose it. */
  afterWrite?: () => void;
  /** Called when the new content is on the disk. */
  beforeRename?: () => void;
  /** Called when the file has it. */
  afterRename?: () => void;
}

/**
 * The same without blocking on the disk: only the syncs run in another thread, and the rest takes microseconds. An older
 * draft is overwritten where it is on the disk, so that its room is enough on a full one; after a failure it stays for that.
 * Allow only one call at a time per file.
 */
export async function writeAtomicallyInBackground(
  file: string,
  parts: readonly Buffer[],
  { afterWrite = () => {}, beforeRename = () => {}, afterRename = () => {} }: Steps = {},
): Promise<void> {
  const draft = draftOf(file);
  const fd = openDraft(draft);
  try {
    let size = 0;
    for (const part of parts) {
      for (let from = 0; from < part.length; ) from += writeSync(fd, part, from, part.length - from, size + from);
      size += part.length;
    }
    ftruncateSync(fd, size);
    afterWrite();
    await promisify(fsync)(fd);
  } finally {
    closeSync(fd);
  }
  beforeRename();
  renameSync(draft, file);
  afterRename();
  const directory = openSync(dirname(file), 'r');
  try {
    await promisify(fsync)(directory).catch(ignoreUnsupported);
  } finally {
    closeSync(directory);
  }
}

/**
 * Lets the file have at least that size, for as much content in its place, if there is room for it. Blanks are written, as a
 * file with holes takes no room.
 */
export function reserve(file: string, size: number): void {
  try {
    const fd = openSync(file, constants.O_WRONLY | constants.O_CREAT, 0o600);
    try {
      const blanks = Buffer.alloc(Math.max(0, size - fstatSync(fd).size), ' ');
      writeSync(fd, blanks, 0, blanks.length, size - blanks.length);
    } finally {
      closeSync(fd);
    }
  } catch {
    // The disk is full by now. The next write fails if it needs more room.
  }
}

/** Overwrites the first byte, so that the content is not taken for whole. The file keeps its place on the disk. */
export function spoil(file: string): void {
  const fd = openSync(file, constants.O_WRONLY);
  try {
    writeSync(fd, ' ', 0);
  } finally {
    closeSync(fd);
  }
}

/** Opens a draft as it is, or creates it. One that has another name too is somebody's content, and is left to that name. */
function openDraft(draft: string): number {
  const flags = constants.O_WRONLY | constants.O_CREAT;
  const fd = openSync(draft, flags, 0o600);
  if (fstatSync(fd).nlink === 1) return fd;
  closeSync(fd);
  rmSync(draft);
  return openSync(draft, flags, 0o600);
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
