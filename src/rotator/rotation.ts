// Moves the content of a log file to another file while programs write to it, without losing or duplicating a line.
//
// The programs have the file itself open as their output and cannot be made to open another one, so its content is
// copied and the file truncated. They write in append mode and continue at its beginning. Most of the content is copied
// while they run. They are stopped for the rest and the truncation; a file is never truncated unless all of it was
// copied.
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Descriptor, Rotated, StopRecord } from '../ipc/rotator-messages.ts';
import { findAstray, isDeleted, whyAstray } from '../logs/astray.ts';
import { errnoOf } from '../shared/errno.ts';
import { draftSuffix, isDraft, rotatedName, rotationsOf } from '../shared/rotations.ts';
import { renderSize } from '../shared/units.ts';
import { copyAttributes } from './copy-attributes.ts';
import { Late, type WritersPaused } from './pause-writers.ts';

/** The names of the log and of its copy. */
export type Names = Pick<StopRecord, 'file' | 'draft' | 'to'>;

export interface RotationDeps {
  /** Runs `act` while no process can write to the file; returns for how many milliseconds any process was stopped. */
  withWritersPaused(inode: Stats, names: Names, act: (paused: WritersPaused) => void): number;
  /** Milliseconds since 1970. */
  wall(): number;
  /** Bytes that may be kept. Of a longer log, only half of them are copied, the newest: a sparse one may be of any length. */
  most: number;
}

/** Bytes that may be left to copy while the programs are stopped: a millisecond of work. */
const small = 256 * 1024;
/** After this many rounds, a program that writes as fast as nsv copies is stopped with more left to copy. */
const mostRounds = 8;

/** Throws Late if a retry may succeed, and the system's error if the file or its copy cannot be written. */
export function rotate(file: string, deps: RotationDeps): Rotated {
  const nothing = { to: null, bytes: 0, stopped: 0 };
  const log = openLog(file);
  if (log === undefined) return nothing;
  try {
    const stats = fstatSync(log);
    if (!stats.isFile()) throw new Error('not a regular file');
    if (stats.size === 0) return nothing;
    removeDrafts(file);
    const to = freeName(file, deps.wall());
    return takeOut({ file, log, stats, to, draft: `${to}${draftSuffix}` }, deps);
  } finally {
    closeSync(log);
  }
}

/**
 * For a log that was renamed: gives the file that the programs write to its old name back, and moves its content so far
 * to a copy with the new name, as if the programs had opened a new log. Throws like `rotate`, and if the log was
 * deleted. A path that is not allowed is left alone: the program decides what its descriptors lead to.
 */
export function reopen(
  file: string,
  descriptors: readonly Descriptor[],
  deps: RotationDeps,
  isAllowed: (path: string) => boolean = () => true,
): Rotated {
  const astray = findAstray(file, descriptors);
  if (!astray || !isAllowed(astray.path)) return { to: null, bytes: 0, stopped: 0 };
  const { pid, path, stats } = astray;
  if (isDeleted(astray)) throw new Error(whyAstray(astray));
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0)
    throw new Error(`a new file already has content, but process ${pid} still writes to the old one`);
  const log = openSync(path, constants.O_RDWR);
  try {
    const takeBack = () => renameSync(path, file);
    return takeOut({ file, log, stats, to: path, draft: `${path}${draftSuffix}`, takeBack }, deps);
  } finally {
    closeSync(log);
  }
}

/** O_NONBLOCK, because opening a FIFO could block. */
function openLog(file: string): number | undefined {
  try {
    return openSync(file, constants.O_RDWR | constants.O_NONBLOCK);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function removeDrafts(file: string): void {
  const directory = dirname(file);
  for (const name of readdirSync(directory)) if (isDraft(file, name)) rmSync(join(directory, name), { force: true });
}

interface Plan {
  /** The path of the log, its descriptor and its stats. */
  file: string;
  log: number;
  stats: Stats;
  /** The temporary and the final name of the copy. */
  draft: string;
  to: string;
  /** Renames the log back to its original name. */
  takeBack?: () => void;
}

function takeOut({ file, log, stats, draft, to, takeBack }: Plan, deps: RotationDeps): Rotated {
  const { most } = deps;
  expectRoom(dirname(to), Math.min(stats.size, most));
  rmSync(draft, { force: true });
  const copy = openSync(draft, 'wx', 0o600);
  try {
    copyAttributes(copy, stats);
    let span = copyWhileWritten(log, copy, most);
    const stopped = deps.withWritersPaused(stats, { file, draft, to }, (paused) => {
      span = copyUpTo(log, copy, span, fstatSync(log).size, most);
      paused.verify();
      takeBack?.();
      exchange(log, span.end, { draft, to });
    });
    const { from, end } = span;
    return { to, bytes: end - from, stopped, ...(from > 0 && { dropped: from }) };
  } finally {
    closeSync(copy);
    rmSync(draft, { force: true });
  }
}

/**
 * Gives the copy its final name before the file is truncated, so that a follower always finds the content in one of
 * them. A crash in between loses nothing either: see src/logs/rotation-recovery.ts.
 */
function exchange(log: number, end: number, { draft, to }: { draft: string; to: string }): void {
  renameSync(draft, to);
  try {
    const { size } = fstatSync(log);
    if (size !== end) throw new Late(`the file changed from ${end} to ${size} bytes during the copy`);
    ftruncateSync(log, 0);
  } catch (error) {
    rmSync(to, { force: true });
    throw error;
  }
}

/** Refuses a copy that would fill the disk, which the programs need. */
function expectRoom(directory: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(directory);
  const free = bavail * bsize;
  if (free < bytes)
    throw new Error(`not enough space for a copy: needs ${renderSize(bytes)}, ${renderSize(free)} free`);
}

/**
 * An unused name that sorts after all existing ones, even if two rotations happen within a millisecond or the clock was
 * set back: otherwise the newest file would count as the oldest and be deleted.
 */
function freeName(file: string, at: number): string {
  const [newest] = rotationsOf(file, readdirSync(dirname(file)));
  return rotatedName(file, Math.max(at, (newest?.at ?? 0) + 1));
}

/** The part of the log that is in the copy. */
interface Span {
  from: number;
  end: number;
}

/** Copies nearly all. */
function copyWhileWritten(log: number, copy: number, most: number): Span {
  let copied: Span = { from: 0, end: 0 };
  for (let round = 0; round < mostRounds; round += 1) {
    const { size } = fstatSync(log);
    if (size - copied.end <= small) break;
    copied = copyUpTo(log, copy, copied, size, most);
  }
  return copied;
}

const block = Buffer.allocUnsafe(1024 * 1024);

/** Adds to what is copied. It then ends at `end`, unless the file was truncated in the meantime. */
function copyUpTo(log: number, copy: number, copied: Span, end: number, most: number): Span {
  if (end - copied.from > most) {
    ftruncateSync(copy);
    const from = end - Math.floor(most / 2);
    return copyUpTo(log, copy, { from, end: from }, end, most);
  }
  const { from } = copied;
  let position = copied.end;
  while (position < end) {
    const length = readSync(log, block, 0, Math.min(block.length, end - position), position);
    if (length === 0) break;
    for (let done = 0; done < length; ) done += writeSync(copy, block, done, length - done, position + done - from);
    position += length;
  }
  return { from, end: position };
}
