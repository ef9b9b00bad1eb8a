// Exactly one daemon per home, however many are launched at once and whatever a dead one has left behind.
import { closeSync, existsSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs';
import { acquireLock, type Lock, shareLock } from '../../os/lock.ts';
import { startTimeOf } from '../../os/proc.ts';
import { isAnswered } from '../../os/socket-file.ts';
import { writeAtomically } from '../../shared/atomic-file.ts';
import { realClock } from '../../shared/clock.ts';
import { errnoOf } from '../../shared/errno.ts';
import { prepareHome } from '../../shared/home.ts';
import type { HomePaths } from '../../shared/paths.ts';

/** Time for a predecessor that is leaving to let go of its lock. */
const defaultPatience = 5_000;
const pause = 20;

export interface Claim {
  /** The daemon before this one has not released its claim: it died. */
  isSuccession: boolean;
  lock: Lock;
  /** Removes pid file and socket, then lets the next daemon in. */
  release(): void;
}

/**
 * Makes the home this process's own, and clears a stale socket away. Undefined when another daemon serves the home.
 * Pid files are only for people: no decision is made by one. Throws HOME_UNSAFE and CANNOT_WRITE.
 */
export async function claimHome(paths: HomePaths, patience = defaultPatience): Promise<Claim | undefined> {
  prepareHome(paths);
  const lock = await acquireInTime(paths, patience);
  if (!lock) return undefined;
  // The lock ends at the border of a network namespace, a socket file does not: two containers may share a home.
  if (await isAnswered(paths.socket)) {
    lock.release();
    return undefined;
  }
  rmSync(paths.socket, { force: true });
  const isSuccession = existsSync(paths.pid);
  takePid(paths.pid);
  return claimOf(paths, lock, isSuccession);
}

/** The claim of a daemon that shares its lock and its socket with this process; there is nothing in it to be claimed yet. */
export async function shareClaim(paths: HomePaths, lock: number): Promise<Claim> {
  return claimOf(paths, await shareLock(lock), true);
}

function claimOf(paths: HomePaths, lock: Lock, isSuccession: boolean): Claim {
  return {
    isSuccession,
    lock,
    release() {
      rmSync(paths.pid, { force: true });
      rmSync(paths.socket, { force: true });
      rmSync(paths.workers, { force: true });
      lock.release();
    },
  };
}

/** Gives up at once when the holder of the lock answers on the socket. */
async function acquireInTime(paths: HomePaths, patience: number): Promise<Lock | undefined> {
  const deadline = realClock.now() + patience;
  for (;;) {
    const lock = await acquireLock(paths, 'daemon');
    if (lock || realClock.now() > deadline || (await isAnswered(paths.socket))) return lock;
    await new Promise<void>((resolve) => realClock.after(pause, resolve));
  }
}

/**
 * What runs must have a daemon on a full disk as well: there the file of the one before is written over, which takes no more
 * room. Where that does not help either it keeps a pid of the past.
 */
function takePid(file: string): void {
  try {
    writePid(file);
  } catch (error) {
    if (!isFullDisk(error) || !existsSync(file)) throw error;
    writeOver(file);
  }
}

function writeOver(file: string): void {
  try {
    const fd = openSync(file, 'r+');
    try {
      const text = pidText(process.pid);
      writeSync(fd, text);
      ftruncateSync(fd, text.length);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (!isFullDisk(error)) throw error;
  }
}

/** No room is left: for anybody, or for this user. */
function isFullDisk(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(errnoOf(error) ?? '');
}

/** The pid on the first line, its start time on the second: `kill "$(head -n1 daemon.pid)"`. No process survives a power cut. */
export function writePid(file: string, pid = process.pid): void {
  writeAtomically(file, pidText(pid), { durable: false });
}

function pidText(pid: number): string {
  return `${pid}\n${startTimeOf(pid) ?? ''}\n`;
}
