// Launches a daemon. If several commands find none on a home, one launches it and the others wait.
import { existsSync, readFileSync } from 'node:fs';
import { type Connection, connectIfRunning } from '../ipc/client.ts';
import { holderPlaceOf } from '../os/lock/holder.ts';
import { acquireLock, lastHolder } from '../os/lock/lock.ts';
import { isSameProcess } from '../os/proc.ts';
import { prepareHome } from '../os/trust/home.ts';
import { pause, realClock } from '../shared/clock.ts';
import { failure } from '../shared/errors.ts';
import type { HomePaths } from '../shared/paths.ts';
import { copyForDaemon, isWholeCopy } from './copies.ts';
import { daemonCommand, spawnDaemon } from './daemon-process.ts';

/** Milliseconds between attempts to connect. Short: a daemon boots in about 30 ms, and an attempt costs 0.3 ms. */
const launcherPause = 4;
/** The same for waiting commands, of which there may be many. */
const waiterPause = 25;
/** Milliseconds for a guard or a service manager to restart the daemon: systemd waits 100 ms, others a second. */
const supervisorTimeout = 3_000;

export interface LaunchOptions {
  onWait?: (text: string) => void;
  /** The daemon's program. Default: that of `rootsForDaemon`. */
  main?: string;
  /** The daemon is to be of this version, even if another one has died. */
  isUpdate?: boolean;
  /** Milliseconds for the whole launch. Default 15,000. */
  deadline?: number;
}

/**
 * Rejects with DAEMON_FAILED if the daemon exits or misses the deadline, with HOME_ON_OTHER_MACHINE, and for the reasons of
 * `openConnection`.
 */
export async function launchDaemon(paths: HomePaths, options: LaunchOptions = {}): Promise<Connection> {
  const { onWait, deadline = 15_000 } = options;
  prepareHome(paths);
  const returned = await restarted(paths, onWait);
  if (returned) return returned;
  const pause = createPause(paths, deadline);
  for (;;) {
    // The lock is released when its holder dies, so another command takes over if the launching one is killed.
    const lock = await acquireLock(paths, 'launch');
    if (lock) {
      onWait?.('launching the daemon');
      try {
        return (await connectIfRunning(paths)) ?? (await bringUp(paths, options, pause));
      } finally {
        lock.release();
      }
    }
    onWait?.('waiting for another command to launch the daemon');
    await pause(waiterPause);
    const connection = await connectIfRunning(paths);
    if (connection) return connection;
  }
}

/**
 * Waits for a daemon that its guard or a service manager restarts. It will be back in a moment. If this command launched
 * another one, one of the two would come up after the other, and perhaps after `nsv kill` has stopped that. Resolves to
 * undefined if nobody restarts the daemon, or not in time.
 */
async function restarted(paths: HomePaths, onWait?: LaunchOptions['onWait']): Promise<Connection | undefined> {
  const end = realClock.now() + supervisorTimeout;
  while (isAboutToReturn(paths) && realClock.now() < end) {
    onWait?.('waiting for the system to start the daemon again');
    const connection = await connectIfRunning(paths);
    if (connection) return connection;
    await pause(realClock, launcherPause);
  }
  return undefined;
}

function isAboutToReturn(paths: HomePaths): boolean {
  const guard = lastHolder(paths, 'daemon')?.guard;
  return existsSync(paths.supervised) || (guard !== undefined && isSameProcess(guard));
}

/**
 * The root of the programs for the next daemon of this home, which has to be safe, and that of this build. A daemon that has died is
 * continued by its own build: no other is sure to understand what it has left.
 */
export function rootsForDaemon(paths: HomePaths): { root: string; own: string } {
  const own = copyForDaemon(paths);
  return { root: rootOfDead(paths) ?? own, own };
}

function rootOfDead(paths: HomePaths): string | undefined {
  const holder = lastHolder(paths, 'daemon');
  if (!holder || holderPlaceOf(holder) !== 'here' || !existsSync(paths.pid)) return undefined;
  const [, , root] = readFileSync(paths.pid, 'utf8').split('\n');
  return root && isWholeCopy(root) ? root : undefined;
}

async function bringUp(paths: HomePaths, options: LaunchOptions, pause: Pause): Promise<Connection> {
  const { main, isUpdate = false } = options;
  const { root, own } = rootsForDaemon(paths);
  const chosen = isUpdate ? own : root;
  const daemon = spawnDaemon(paths, daemonCommand(chosen, main));
  for (;;) {
    await pause(launcherPause).catch((late) => {
      daemon.kill();
      throw late;
    });
    const connection = await connectIfRunning(paths);
    if (connection) return connection;
    try {
      daemon.check();
    } catch (error) {
      if (chosen === own) throw error;
      return bringUp(paths, { ...options, isUpdate: true }, pause);
    }
  }
}

/** Waits before the next attempt. Rejects with DAEMON_FAILED after the deadline. */
type Pause = (ms: number) => Promise<void>;

function createPause(paths: HomePaths, deadline: number): Pause {
  const end = realClock.now() + deadline;
  return async (ms) => {
    if (realClock.now() >= end)
      throw failure('DAEMON_FAILED', { detail: `no answer after ${deadline / 1_000} s${whySilent(paths)}` });
    await pause(realClock, ms);
  };
}

/** Somebody may have deleted the socket of a living daemon, which no command can reach then, nor replace. */
function whySilent({ pid, socket }: HomePaths): string {
  if (!existsSync(pid) || existsSync(socket)) return '';
  return '; a daemon is running that has no socket, and "nsv doctor" says what to do';
}
