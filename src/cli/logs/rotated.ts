// Whether a rotated file is a copy of what stands in a live one, or of what stood there.
import { closeSync, fstatSync } from 'node:fs';
import { openForReading, readAt } from './blocks.ts';
import type { LiveFile } from './live-file.ts';

/** Bytes at the beginning that are compared. Logs that are alike so far are taken for copies. */
const headLength = 4096;

/** Whether the live file still has all that the copy has: it will be emptied when that is whole. */
export function isCopyInProgress(copy: string, live: LiveFile): boolean {
  if (copy.endsWith('.gz')) return false;
  return inspect(copy, false, (fd, size) => {
    const length = Math.min(size, headLength);
    return size <= live.size && readAt(fd, 0, length).equals(readAt(live.fd, 0, length));
  });
}

/** Whether the file has what was read last of the live one, at the same position. True when nothing was, or it is compressed. */
export function holdsBefore(copy: string, { before, position }: LiveFile): boolean {
  if (before.length === 0 || copy.endsWith('.gz')) return true;
  return inspect(copy, true, (fd) => readAt(fd, position - before.length, before.length).equals(before));
}

/** `otherwise` where the file has gone: it has been compressed. */
function inspect(file: string, otherwise: boolean, look: (fd: number, size: number) => boolean): boolean {
  const fd = openForReading(file);
  if (fd === undefined) return otherwise;
  try {
    return look(fd, fstatSync(fd).size);
  } finally {
    closeSync(fd);
  }
}
