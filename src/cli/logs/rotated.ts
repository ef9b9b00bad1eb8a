// Whether a rotated file is a copy of what stands in a live one, or of what stood there.
import { closeSync, fstatSync, type Stats } from 'node:fs';
import { basename } from 'node:path';
import { allRotations } from '../../shared/rotations.ts';
import { openForReading, readAt } from './blocks.ts';
import type { LiveFile } from './live-file.ts';

/** Bytes at the beginning and at the end that are compared. */
const sampleLength = 4096;

/**
 * Milliseconds in which the kernel may tell the same time of two changes. nsv gives a copy its name while nobody writes, and
 * empties the log at once: what is written later than that is written into the emptied file.
 */
const coarse = 100;

/**
 * Whether the live file still has all that the copy has: it will be emptied when that is whole. Programs that print the same
 * again and again have logs that are alike, so where the copy is one of nsv's the times decide too.
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

/** Whether the file has what was read last of the live one, at the same position. True when nothing was, or it is compressed. */
export function holdsBefore(copy: string, { before, position }: LiveFile): boolean {
  if (before.length === 0 || copy.endsWith('.gz')) return true;
  return inspect(copy, true, (fd) => readAt(fd, position - before.length, before.length).equals(before));
}

/** `otherwise` where the file has gone: it has been compressed. */
function inspect(file: string, otherwise: boolean, look: (fd: number, stats: Stats) => boolean): boolean {
  const fd = openForReading(file);
  if (fd === undefined) return otherwise;
  try {
    return look(fd, fstatSync(fd));
  } finally {
    closeSync(fd);
  }
}
