// The last lines of a log file, to say why an app failed.
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';

const reach = 64 * 1024;

/** Characters of a line: Node quotes the whole line that threw, and a bundle may be one of a megabyte. */
const longestLine = 500;

/** Where the file ends now; 0 when it does not exist or may not be looked at. What comes later is found by `linesSince`. */
export function endOf(file: string): number {
  try {
    return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  } catch {
    return 0;
  }
}

/** At most `count` last lines after `offset`, long ones cut; none when the file cannot be read. */
export function linesSince(file: string, offset: number, count: number): string[] {
  let fd: number | undefined;
  try {
    // Else the open of a FIFO would wait for a writer.
    fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
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
