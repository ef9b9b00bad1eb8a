// Takes the content of a log file out into a file of its own, while programs write to it, without a line lost or doubled.
//
// The programs have the file itself as their output and cannot be made to open another: so its content is copied, and the
// file emptied. They have it open for appending, and go on at its beginning. Most is copied while they write. For the rest
// and the emptying they stand still; never is a file emptied of which not all was copied.
import {
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Rotated } from '../ipc/rotator-messages.ts';
import { errnoOf } from '../shared/errno.ts';
import { draftSuffix, isDraft, rotatedName } from '../shared/rotations.ts';
import { Late, type Standstill } from './standstill.ts';

export interface RotationMeans {
  /** Runs `act` while nobody can write to the file; returns for how many milliseconds somebody stood still. */
  standingStill(inode: Stats, names: { draft: string; to: string }, act: (standstill: Standstill) => void): number;
  /** Milliseconds since 1970. */
  wall(): number;
}

/** Bytes that may be left to copy while the programs stand: a millisecond's work. */
const small = 256 * 1024;
/** Who writes as fast as we copy is stopped with more left. */
const mostRounds = 8;

/** Throws Late when it is to be tried again, and what the system says when the file or its copy cannot be written. */
export function rotate(file: string, means: RotationMeans): Rotated {
  const nothing = { to: null, bytes: 0, stopped: 0 };
  const log = openLog(file);
  if (log === undefined) return nothing;
  try {
    const stats = fstatSync(log);
    if (!stats.isFile()) throw new Error('it is not a regular file');
    if (stats.size === 0) return nothing;
    removeDrafts(file);
    return takeOut(file, { log, stats }, means);
  } finally {
    closeSync(log);
  }
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

function takeOut(file: string, { log, stats }: { log: number; stats: Stats }, means: RotationMeans): Rotated {
  const { to, draft, copy } = openDraft(file, stats.mode, means.wall());
  try {
    if (process.geteuid?.() === 0) fchownSync(copy, stats.uid, stats.gid);
    let bytes = copyWhileWritten(log, copy);
    const stopped = means.standingStill(stats, { draft, to }, (standstill) => {
      bytes = copyUpTo(log, copy, bytes, fstatSync(log).size);
      standstill.verify();
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
    if (size !== bytes) throw new Late(`it changed from ${bytes} to ${size} bytes meanwhile`);
    ftruncateSync(log, 0);
  } catch (error) {
    rmSync(to, { force: true });
    throw error;
  }
}

/** A name that nobody has; two rotations within a millisecond get one each. */
function openDraft(file: string, mode: number, at: number): { to: string; draft: string; copy: number } {
  const names = new Set(readdirSync(dirname(file)).map((name) => join(dirname(file), name)));
  let to = rotatedName(file, at);
  for (let later = at + 1; names.has(to) || names.has(`${to}.gz`); later += 1) to = rotatedName(file, later);
  const draft = `${to}${draftSuffix}`;
  return { to, draft, copy: openSync(draft, 'wx', mode & 0o777) };
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
