// Finds where to start reading a log: in the live file or in one of its rotated files. Huge files open at once: last lines are found
// by reading backwards from the end, and the first line since a moment by binary search, as times ascend.
import { fstatSync, statSync } from 'node:fs';
import { blockSize, blocksOf, lookInto, readAt } from './blocks.ts';
import { lineTimeOf, longestObject } from './line-time.ts';
import { LineSplitter, longestShownLine } from './splitter.ts';

/** Which past lines to show. */
export interface PastLines {
  /** The number of last lines; undefined for all. */
  lines: number | undefined;
  /** The number of lines to show of a file that was written since then, but has no times in its lines. */
  linesUntimed: number;
  /** Milliseconds since 1970; undefined for all times. */
  since: number | undefined;
}

/** A rotated file, and the position to read it from. */
export interface Piece {
  file: string;
  from: number;
}

export interface Beginning {
  /** Oldest first. */
  older: Piece[];
  /** The position in the live file. */
  from: number;
  /** False if lines since a moment are requested and the file was written since, but no line has a time. */
  isTimed: boolean;
}

/** A log at the time of reading: its rotated files, newest first, and its live file. */
interface Log {
  fd: number;
  size: number;
  older: readonly string[];
}

/** All files created since a moment: the output of an app that was started then. */
export function beginningOfNew({ older }: Log, born: number): Beginning {
  const since = older.filter((file) => (statSync(file, { throwIfNoEntry: false })?.birthtimeMs ?? 0) >= born);
  return { older: since.reverse().map((file) => ({ file, from: 0 })), from: 0, isTimed: true };
}

export async function startOfLog(log: Log, { lines, linesUntimed, since }: PastLines): Promise<Beginning> {
  if (since === undefined) return beginningOfLast(log, lines ?? Number.POSITIVE_INFINITY);
  const timed = await beginningSince(log, since);
  if (timed.isTimed) return lines === undefined ? timed : later(timed, await beginningOfLast(log, lines));
  const isTimed = log.size === 0 || fstatSync(log.fd).mtimeMs < since;
  return { ...(await beginningOfLast(log, isTimed ? 0 : linesUntimed)), isTimed };
}

async function beginningOfLast(log: Log, wanted: number): Promise<Beginning> {
  let { from, count } = lastLines(log.fd, log.size, wanted);
  const pieces: Piece[] = [];
  for (const file of log.older) {
    if (from > 0 || count >= wanted) break;
    const found = file.endsWith('.gz')
      ? await lastLinesOfCompressed(file, wanted - count)
      : lookInto(file, (fd, { size }) => lastLines(fd, size, wanted - count));
    if (!found) break;
    pieces.unshift({ file, from: found.from });
    count += found.count;
    if (found.from > 0) break;
  }
  return { older: pieces, from, isTimed: true };
}

async function beginningSince(log: Log, since: number): Promise<Beginning> {
  let { from, isTimed } = firstSince(log.fd, log.size, since);
  const pieces: Piece[] = [];
  let isReached = from > 0;
  for (const file of log.older) {
    if (isReached || (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) < since) break;
    const found = file.endsWith('.gz')
      ? await firstSinceOfCompressed(file, since)
      : lookInto(file, (fd, { size }) => firstSince(fd, size, since));
    if (!found) break;
    pieces.unshift({ file, from: found.from });
    isTimed ||= found.isTimed;
    isReached = found.from > 0;
  }
  return { older: pieces, from, isTimed };
}

/** Satisfies both limits: returns the later beginning. */
function later(one: Beginning, other: Beginning): Beginning {
  if (one.older.length !== other.older.length) return one.older.length < other.older.length ? one : other;
  const [first, second] = [one.older[0]?.from ?? one.from, other.older[0]?.from ?? other.from];
  return first >= second ? one : other;
}

interface LastLines {
  /** The position of the first of them. */
  from: number;
  /** The number of whole lines from there. */
  count: number;
}

const newline = 0x0a;

/**
 * At most `count` whole lines before `end`, and a partial line at the end. Stops after 32 MB of a single line, so that
 * an endless line does not make nsv read the whole file.
 */
function lastLines(fd: number, end: number, count: number): LastLines {
  let breaks = 0;
  let lineEnd = end;
  for (let start = end; start > 0; ) {
    const size = Math.min(blockSize, start);
    start -= size;
    const bytes = readAt(fd, start, size);
    for (let at = bytes.lastIndexOf(newline); at >= 0; at = at === 0 ? -1 : bytes.lastIndexOf(newline, at - 1)) {
      lineEnd = start + at;
      if (breaks === count) return { from: lineEnd + 1, count };
      breaks += 1;
    }
    if (lineEnd - start >= longestShownLine) return { from: start, count };
  }
  return { from: 0, count: breaks };
}

/** Like `lastLines`, but for a compressed file, which must be read from its beginning. */
async function lastLinesOfCompressed(file: string, count: number): Promise<LastLines> {
  const starts = [0];
  let position = 0;
  for await (const bytes of blocksOf(file, 0)) {
    for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1))
      starts.push(position + at + 1);
    if (starts.length > 2 * count + 2) starts.splice(0, starts.length - count - 1);
    position += bytes.length;
  }
  const kept = starts.slice(-count - 1);
  return { from: kept[0]!, count: kept.length - 1 };
}

interface FirstSince {
  /** The position of the first line of that time or later; the end of the whole lines if there is none. */
  from: number;
  /** Whether any line examined has a time: otherwise `from` means nothing. */
  isTimed: boolean;
}

/** Bytes without a time, such as stack traces, after which a probe gives up. */
const longestGap = 16 * blockSize;

function firstSince(fd: number, end: number, moment: number): FirstSince {
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
async function firstSinceOfCompressed(file: string, moment: number): Promise<FirstSince> {
  const splitter = new LineSplitter();
  let isTimed = false;
  let from = 0;
  for await (const bytes of blocksOf(file, 0)) {
    for (const line of splitter.split(bytes)) {
      const time = lineTimeOf(line);
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
        const time = lineTimeOf(line);
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
