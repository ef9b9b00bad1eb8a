// The last lines of a file, read from its end: a file of any size opens at once.
import { readSync } from 'node:fs';

const block = 64 * 1024;

/** Bytes that are read at most for one line on average: one endless line must not make us read the whole file. */
const longestMean = 16 * 1024;

export interface LastLines {
  lines: string[];
  /** What stands after the last newline: the beginning of a line. */
  rest: Buffer;
}

/** Bytes that are read at most, however many lines are asked for. */
const most = 64 * 1024 * 1024;

/** At most `count` whole lines that end before `end`. */
export function lastLines(fd: number, end: number, count: number): LastLines {
  const bytes = readBack(fd, end, count);
  const lastBreak = bytes.lastIndexOf(newline);
  // A copy, for it is kept, and would keep all that was read.
  const rest = Buffer.from(bytes.subarray(lastBreak + 1));
  if (lastBreak < 0 || count === 0) return { lines: [], rest };
  return { lines: bytes.toString('utf8', 0, lastBreak).split('\n').slice(-count), rest };
}

const newline = 0x0a;

/** Block by block towards the beginning, until `count` lines and the break before them are there. */
function readBack(fd: number, end: number, count: number): Buffer {
  const furthest = Math.max(0, end - Math.min(most, block + count * longestMean));
  const blocks: Buffer[] = [];
  let breaks = 0;
  for (let start = end; start > furthest && breaks <= count; ) {
    const size = Math.min(block, start - furthest);
    start -= size;
    const bytes = readAt(fd, start, size);
    blocks.unshift(bytes);
    for (const byte of bytes) if (byte === newline) breaks += 1;
  }
  return Buffer.concat(blocks);
}

/** Fewer bytes than asked where the file has become shorter meanwhile. */
export function readAt(fd: number, position: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  return bytes.subarray(0, readSync(fd, bytes, 0, size, position));
}
