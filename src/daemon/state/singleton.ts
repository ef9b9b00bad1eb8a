// Ensures exactly one daemon per home, however many are launched at once and whatever a dead one has left behind.
import { constants, existsSync, openSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { acquireLock, type Lock, shareLock } from '../../os/lock/lock.ts';
import { startTimeOf } from '../../os/proc.ts';
import { isAnswered } from '../../os/socket-file.ts';
import { prepareHome } from '../../os/trust/home.ts';
import { writeAtomically } from '../../shared/atomic-file.ts';
import { pause, realClock } from '../../shared/clock.ts';
import { errnoOf } from '../../shared/errno.ts';
import { type HomePaths, ownRoot } from '../../shared/paths.ts';

/** Milliseconds for a daemon that is exiting to release its lock. */
const defaultTimeout = 5_000;
const betweenAttempts = 20;

export type Claim = ReturnType<typeof claimOf>;

/**
 * Claims the home for this process and removes a stale socket. Undefined if another daemon serves the home. The pid in
 * the pid file is only for people: no decision depends on it. Throws HOME_UNSAFE, HOME_ON_OTHER_MACHINE and CANNOT_WRITE.
 */
export async function claimHome(paths: HomePaths, timeout = defaultTimeout): Promise<Claim | undefined> {
  prepareHome(paths);
  const lock = await acquireInTime(paths, timeout);
  if (!lock) return undefined;
  // The locks may have been deleted under a living daemon.
  if (await isAnswered(paths.socket)) {
    lock.release();
    return undefined;
  }
  rmSync(paths.socket, { force: true });
  const isSuccession = existsSync(paths.pid);
  takePid(paths.pid);
  return claimOf(paths, lock, isSuccession);
}

/** The claim of a successor: it shares lock and socket with its predecessor, so there is nothing to claim yet. */
export async function shareClaim(paths: HomePaths, lock: number): Promise<Claim> {
  return claimOf(paths, await shareLock(paths, lock), true);
}

function claimOf(paths: HomePaths, lock: Lock, isSuccession: boolean) {
  const isIntact = holdHome(paths);
  return {
    /** The previous daemon has not released its claim: it died. */
    isSuccession,
    lock,
    /** False once the home was removed or replaced: its path then belongs to somebody else, perhaps to another daemon. */
    isIntact,
    /**
     * Removes the pid file and the sockets, then lets the next daemon in. Not if there is a state: `nsv run` keeps none, so it is that of a
     * daemon which has died, and the next one has to know.
     */
    release() {
      if (!isIntact()) return;
      if (!existsSync(paths.state)) rmSync(paths.pid, { force: true });
      rmSync(paths.socket, { force: true });
      rmSync(paths.workers, { force: true });
      lock.release();
    },
  };
}

/** Gives up at once if the holder of the lock answers on the socket. */
async function acquireInTime(paths: HomePaths, timeout: number): Promise<Lock | undefined> {
  const deadline = realClock.now() + timeout;
  for (;;) {
    const lock = await acquireLock(paths, 'daemon');
    if (lock || realClock.now() > deadline || (await isAnswered(paths.socket))) return lock;
    await pause(realClock, betweenAttempts);
  }
}

/**
 * Apps need a daemon on a full disk as well: there, the predecessor's file is overwritten, which takes no more room. If
 * even that fails, the file keeps an old pid.
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
    const text = Buffer.from(pidText(process.pid, ownRoot));
    writeFileSync(file, text, { flag: 'r+' });
    truncateSync(file, text.length);
  } catch (error) {
    if (!isFullDisk(error)) throw error;
  }
}

/** The disk is full, or the user's quota is. */
function isFullDisk(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(errnoOf(error) ?? '');
}

/**
 * The pid on line 1, its start time on line 2: `kill "$(head -n1 daemon.pid)"`. No process survives a power cut. On line 3, the
 * root of the programs with which the next daemon continues if this one dies.
 */
export function writePid(file: string, pid = process.pid, root = ownRoot): void {
  writeAtomically(file, pidText(pid, root), { durable: false });
}

function pidText(pid: number, root: string): string {
  return `${pid}\n${startTimeOf(pid) ?? ''}\n${root}\n`;
}

/**
 * Returns a function that says whether the path still leads to the directory that it leads to now: somebody may remove or replace a home
 * under a living daemon.
 */
function holdHome({ home }: HomePaths): () => boolean {
  // The open descriptor keeps the system from giving the inode number to the next directory.
  openSync(home, constants.O_RDONLY | constants.O_DIRECTORY);
  const { dev, ino } = statSync(home);
  return () => {
    const now = statSync(home, { throwIfNoEntry: false });
    return now?.dev === dev && now.ino === ino;
  };
}
