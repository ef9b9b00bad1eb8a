// Checks whether a rotated file is a copy of current or former content of a live file.
import { closeSync, fstatSync, type Stats } from 'node:fs';
import { basename } from 'node:path';
import { allRotations } from '../../shared/rotations.ts';
import { openForReading, readAt } from './blocks.ts';
import type { LiveFile } from './live-file.ts';

/** Bytes compared at the beginning and at the end. */
const sampleLength = 4096;

/**
 * Milliseconds within which the kernel may report the same time for two changes. nsv names a copy while no process
 * writes, and truncates the log at once: any later write goes to the truncated file.
 */
const coarse = 100;

/**
 * Whether the live file still has all the content of the copy, so that it will be truncated when the copy is complete.
 * Logs of programs that repeat themselves look alike, so for copies made by nsv the times are checked too.
 */
export function isCopyInProgress(copy: string, live: LiveFile): boolean {
  if (copy.endsWith('.gz')) return false;
  return inspect(copy, false, (fd, stats) => {
    if (isOurs(copy) && fstatSync(live.fd).mtimeMs > stats.ctimeMs + coarse) return false;
    const length = Math.min(stats.size, sampleLength);
    const isAlike = (at: number) => readAt(fd, at, length).equals(readAt(live.fd, at, length));
    return stats.size <= live.size && isAlike(0) && isAlike(stats.size - length);
  });
}

function isOurs(copy: string): boolean {
  return allRotations([basename(copy)]).length > 0;
}

/**
 * Whether the file has the last bytes read from the live one at the same place. True if there are none or if
 * compressed.
 */
export function holdsBefore(copy: string, { before, position }: LiveFile): boolean {
  if (before.length === 0 || copy.endsWith('.gz')) return true;
  return inspect(copy, true, (fd) => readAt(fd, position - before.length, before.length).equals(before));
}

/** Returns `otherwise` if the file is gone: it has been compressed. */
function inspect(file: string, otherwise: boolean, look: (fd: number, stats: Stats) => boolean): boolean {
  const fd = openForReading(file);
  if (fd === undefined) return otherwise;
  try {
    return look(fd, fstatSync(fd));
  } finally {
    closeSync(fd);
  }
}
