// Where the lines since a moment begin in a file whose times ascend, found by halving: a file of any size opens at once.
import { blockSize, blocksOf, readAt } from './blocks.ts';
import { lastLines } from './last-lines.ts';
import { longestObject, timeOf } from './line-time.ts';
import { LineSplitter } from './splitter.ts';

export interface FirstSince {
  /** Where the first line of that time or later begins; the end of the whole lines where there is none. */
  from: number;
  /** Whether a line that was looked at carries a time: without one `from` says nothing. */
  isTimed: boolean;
}

/** Bytes without a time, such as those of stack traces, after which a probe has found none. */
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

/** The same of a compressed file, which has to be read from its beginning. */
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

/** The whole lines with a time that begin from one position on and before another; a line begins at 0 or after a newline. */
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
    // A line that has no end in sight is not one that we look for.
    if (start !== undefined && position - start > longestObject && position > before) return;
  }
}

/** As much of the line as can tell its time. */
function headOf(fd: number, start: number, end: number): Buffer {
  return readAt(fd, start, Math.min(end - start, longestObject + 1));
}
