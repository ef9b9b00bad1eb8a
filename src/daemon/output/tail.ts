// Reads the last lines of a log file, to explain why an app failed.
import { closeSync, fstatSync, readSync, statSync } from 'node:fs';
import { openToRead } from '../../os/trust/open-to-read.ts';

const reach = 64 * 1024;

/** Characters per line. Node quotes the whole line that threw, which in a bundle can be a megabyte. */
const longestLine = 500;

/** The current end of the file, for `linesSince`; 0 if the file does not exist or cannot be accessed. */
export function endOf(file: string): number {
  try {
    return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  } catch {
    return 0;
  }
}

/**
 * At most the last `count` lines after `offset`, with long ones cut; empty if the file cannot be read, or belongs to
 * another user than `owner`.
 */
export function linesSince(file: string, offset: number, count: number, owner?: number): string[] {
  let fd: number | undefined;
  try {
    fd = openToRead(file, owner);
    const { size } = fstatSync(fd);
    const from = Math.max(offset <= size ? offset : 0, size - reach);
    const bytes = Buffer.alloc(size - from);
    const length = readSync(fd, bytes, 0, bytes.length, from);
    const lines = bytes.toString('utf8', 0, length).split('\n');
    return lines
      .filter((line) => line.trim() !== '')
      .slice(-count)
      .map((line) => (line.length > longestLine ? `${line.slice(0, longestLine)}…` : line));
  } catch {
    return [];
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
