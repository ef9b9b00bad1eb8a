// Exactly one daemon per home, however many are launched at once and whatever a dead one has left behind.
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { realClock } from '../shared/clock.ts';
import { prepareHome } from '../shared/home.ts';
import { acquireLock, type Lock, shareLock } from '../shared/lock.ts';
import type { HomePaths } from '../shared/paths.ts';
import { isAnswered } from '../shared/socket-file.ts';
import { startTimeOf } from './proc.ts';

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
  writePid(paths.pid);
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

/** The pid on the first line, its start time on the second: `kill "$(head -n1 daemon.pid)"`. Appears as a whole. */
export function writePid(file: string, pid = process.pid): void {
  const draft = `${file}.tmp`;
  writeFileSync(draft, `${pid}\n${startTimeOf(pid) ?? ''}\n`, { mode: 0o600 });
  renameSync(draft, file);
}
