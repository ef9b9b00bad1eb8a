// Takes the content of a log file out into a file of its own, while programs write to it, without a line lost or doubled.
//
// The programs have the file itself as their output and cannot be made to open another: so its content is copied, and the
// file emptied. They have it open for appending, and go on at its beginning. Most is copied while they write. For the rest
// and the emptying they stand still; never is a file emptied of which not all was copied.
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import type { Descriptor, Rotated, StopRecord } from '../ipc/rotator-messages.ts';
import { errnoOf } from '../shared/errno.ts';
import { draftSuffix, isDraft, rotatedName, rotationsOf } from '../shared/rotations.ts';
import { renderSize } from '../shared/units.ts';
import { copyAttributes } from './copy-attributes.ts';
import { Late, type WritersPaused } from './pause-writers.ts';

/** The log, and what it is copied to. */
export type Names = Pick<StopRecord, 'file' | 'draft' | 'to'>;

export interface RotationDeps {
  /** Runs `act` while nobody can write to the file; returns for how many milliseconds somebody stood still. */
  standingStill(inode: Stats, names: Names, act: (paused: WritersPaused) => void): number;
  /** Milliseconds since 1970. */
  wall(): number;
}

/** Bytes that may be left to copy while the programs stand: a millisecond's work. */
const small = 256 * 1024;
/** Who writes as fast as we copy is stopped with more left. */
const mostRounds = 8;

/** Throws Late when it is to be tried again, and what the system says when the file or its copy cannot be written. */
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
 * For a log that was renamed: what the programs write to gets its old name back, and a copy of what they have written so far
 * the new one, as if they had opened another file when it was renamed. Throws as `rotate`, and when it was deleted.
 */
export function reopen(file: string, descriptors: readonly Descriptor[], deps: RotationDeps): Rotated {
  const astray = findAstray(file, descriptors);
  if (!astray) return { to: null, bytes: 0, stopped: 0 };
  const { path, stats } = astray;
  const log = openSync(path, constants.O_RDWR);
  try {
    const takeBack = () => renameSync(path, file);
    return takeOut({ file, log, stats, to: path, draft: `${path}${draftSuffix}`, takeBack }, deps);
  } finally {
    closeSync(log);
  }
}

/** What is written in the place of the log, and where it is now. */
function findAstray(file: string, descriptors: readonly Descriptor[]): { path: string; stats: Stats } | undefined {
  const present = statSync(file, { throwIfNoEntry: false });
  for (const { pid, fd } of descriptors) {
    const link = `/proc/${pid}/fd/${fd}`;
    const stats = statSync(link, { throwIfNoEntry: false });
    if (!stats?.isFile() || (stats.ino === present?.ino && stats.dev === present.dev)) continue;
    const path = readlinkSync(link);
    // A program may have turned its output elsewhere by itself.
    if (!basename(path).startsWith(basename(file, extname(file)))) continue;
    if (stats.nlink === 0) throw new Error(`the file was deleted, but process ${pid} still writes to it`);
    if (present && present.size > 0)
      throw new Error(`a new file already has content, but process ${pid} still writes to the old one`);
    return { path, stats };
  }
  return undefined;
}

/** O_NONBLOCK: a FIFO in its place must not make us wait. */
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
  /** The name of the log, its descriptor, and what it was found to be. */
  file: string;
  log: number;
  stats: Stats;
  /** What the copy is called, at first and in the end. */
  draft: string;
  to: string;
  /** Gives the log its name back. */
  takeBack?: () => void;
}

function takeOut({ file, log, stats, draft, to, takeBack }: Plan, deps: RotationDeps): Rotated {
  expectRoom(dirname(to), stats.size);
  rmSync(draft, { force: true });
  const copy = openSync(draft, 'wx', 0o600);
  try {
    copyAttributes(copy, stats);
    let bytes = copyWhileWritten(log, copy);
    const stopped = deps.standingStill(stats, { file, draft, to }, (paused) => {
      bytes = copyUpTo(log, copy, bytes, fstatSync(log).size);
      paused.verify();
      takeBack?.();
      exchange(log, bytes, { draft, to });
    });
    return { to, bytes, stopped };
  } finally {
    closeSync(copy);
    rmSync(draft, { force: true });
  }
}

/**
 * The copy has its name before the file is empty, so that who follows it finds the copy: whatever is read, nothing was
 * gone for a moment. Nor does a death in between lose anything: see `recovery.ts` of the daemon.
 */
function exchange(log: number, bytes: number, { draft, to }: { draft: string; to: string }): void {
  renameSync(draft, to);
  try {
    const { size } = fstatSync(log);
    if (size !== bytes) throw new Late(`the file changed from ${bytes} to ${size} bytes during the copy`);
    ftruncateSync(log, 0);
  } catch (error) {
    rmSync(to, { force: true });
    throw error;
  }
}

/** A copy that fills the disk would take the room of those who write. */
function expectRoom(directory: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(directory);
  const free = bavail * bsize;
  if (free < bytes)
    throw new Error(`not enough space for a copy: needs ${renderSize(bytes)}, ${renderSize(free)} free`);
}

/**
 * A name that nobody has, and that comes after all before it, though two rotations are within a millisecond or the clock was
 * put back: else the newest would be taken for the oldest, and deleted.
 */
function freeName(file: string, at: number): string {
  const [newest] = rotationsOf(file, readdirSync(dirname(file)));
  return rotatedName(file, Math.max(at, (newest?.at ?? 0) + 1));
}

/** Returns how much was copied: nearly all. */
function copyWhileWritten(log: number, copy: number): number {
  let copied = 0;
  for (let round = 0; round < mostRounds; round += 1) {
    const { size } = fstatSync(log);
    if (size - copied <= small) break;
    copied = copyUpTo(log, copy, copied, size);
  }
  return copied;
}

const block = Buffer.allocUnsafe(1024 * 1024);

/** Returns where it came to, which is `end` unless somebody has shortened the file. */
function copyUpTo(log: number, copy: number, from: number, end: number): number {
  let position = from;
  while (position < end) {
    const length = readSync(log, block, 0, Math.min(block.length, end - position), position);
    if (length === 0) break;
    for (let written = 0; written < length; ) written += writeSync(copy, block, written, length - written);
    position += length;
  }
  return position;
}
