// Finds where to start reading a log: in the live file or in one of its rotated files.
import { closeSync, fstatSync, statSync } from 'node:fs';
import { openForReading } from './blocks.ts';
import { firstSince, firstSinceOfCompressed } from './first-since.ts';
import { lastLines, lastLinesOfCompressed } from './last-lines.ts';

/** Which past lines to show. */
export interface Past {
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
export interface Log {
  fd: number;
  size: number;
  older: readonly string[];
}

/** All files created since a moment: the output of an app that was started then. */
export function beginningOfNew({ older }: Log, born: number): Beginning {
  const since = older.filter((file) => (statSync(file, { throwIfNoEntry: false })?.birthtimeMs ?? 0) >= born);
  return { older: since.reverse().map((file) => ({ file, from: 0 })), from: 0, isTimed: true };
}

export async function startOfLog(log: Log, { lines, linesUntimed, since }: Past): Promise<Beginning> {
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
    const found = await reading(file, (fd, size) =>
      fd === undefined ? lastLinesOfCompressed(file, wanted - count) : lastLines(fd, size, wanted - count),
    );
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
    const found = await reading(file, (fd, size) =>
      fd === undefined ? firstSinceOfCompressed(file, since) : firstSince(fd, size, since),
    );
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

/** Undefined if the file is gone; `look` gets no descriptor for a compressed file. */
async function reading<T>(
  file: string,
  look: (fd: number | undefined, size: number) => T | Promise<T>,
): Promise<T | undefined> {
  if (file.endsWith('.gz')) return look(undefined, 0);
  const fd = openForReading(file);
  if (fd === undefined) return undefined;
  try {
    return await look(fd, fstatSync(fd).size);
  } finally {
    closeSync(fd);
  }
}
