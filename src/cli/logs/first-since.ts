// Finds the first line since a moment by binary search in a file with ascending times, so that huge files open at once.
import { blockSize, blocksOf, readAt } from './blocks.ts';
import { lastLines } from './last-lines.ts';
import { longestObject, timeOf } from './line-time.ts';
import { LineSplitter } from './splitter.ts';

export interface FirstSince {
  /** The position of the first line of that time or later; the end of the whole lines if there is none. */
  from: number;
  /** Whether any line examined has a time: otherwise `from` means nothing. */
  isTimed: boolean;
}

/** Bytes without a time, such as stack traces, after which a probe gives up. */
const longestGap = 16 * blockSize;
const newline = 0x0a;

export function firstSince(fd: number, end: number, moment: number): FirstSince {
  let isTimed = false;
  let low = 0;
  let high = end;
  while (high - low > blockSize) {
    const middle = Math.floor((low + high) / 2);
    const [found] = timedLines(fd, middle, Math.min(high, middle + longestGap));
    isTimed ||= found !== undefined;
    if (found && found.time < moment) low = found.start;
    else high = middle;
  }
  for (const { start, time } of timedLines(fd, low, isTimed ? end : Math.min(end, low + longestGap))) {
    isTimed = true;
    if (time >= moment) return { from: start, isTimed };
  }
  return { from: isTimed ? lastLines(fd, end, 0).from : 0, isTimed };
}

/** Like `firstSince`, but for a compressed file, which must be read from its beginning. */
export async function firstSinceOfCompressed(file: string, moment: number): Promise<FirstSince> {
  const splitter = new LineSplitter();
  let isTimed = false;
  let from = 0;
  for await (const bytes of blocksOf(file, 0)) {
    for (const line of splitter.split(bytes)) {
      const time = timeOf(line);
      isTimed ||= time !== undefined;
      if (time !== undefined && time >= moment) return { from, isTimed };
      from += line.length + 1;
    }
  }
  return { from: isTimed ? from : 0, isTimed };
}

/** The whole lines with a time that start between two positions; a line starts at 0 or after a newline. */
function* timedLines(fd: number, from: number, before: number): Generator<{ start: number; time: number }> {
  let start = from === 0 ? 0 : undefined;
  for (let position = Math.max(0, from - 1); (start ?? position) < before; ) {
    const bytes = readAt(fd, position, blockSize);
    if (bytes.length === 0) return;
    for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1)) {
      if (start !== undefined && start < before) {
        const line = start < position ? headOf(fd, start, position + at) : bytes.subarray(start - position, at);
        const time = timeOf(line);
        if (time !== undefined) yield { start, time };
      }
      start = position + at + 1;
    }
    position += bytes.length;
    // A line this long has no time that could be read.
    if (start !== undefined && position - start > longestObject && position > before) return;
  }
}

/** The part of a line that is needed to find its time. */
function headOf(fd: number, start: number, end: number): Buffer {
  return readAt(fd, start, Math.min(end - start, longestObject + 1));
}
