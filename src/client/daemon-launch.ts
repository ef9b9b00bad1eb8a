// The first commands on a home without a daemon: one of them launches it, the others wait for it.
import { existsSync } from 'node:fs';
import { type Connection, connectIfRunning } from '../ipc/client.ts';
import { acquireLock } from '../os/lock.ts';
import { realClock } from '../shared/clock.ts';
import { failure } from '../shared/errors.ts';
import { prepareHome } from '../shared/home.ts';
import { type HomePaths, installed } from '../shared/paths.ts';
import { spawnDaemon } from './daemon-process.ts';

/** Between two looks at the socket: short, for a daemon boots in some 30 ms, and a look costs 0.3 ms. */
const launcherPause = 4;
/** The same for the others, of which there may be many. */
const waiterPause = 25;
/** Milliseconds for a supervisor of the system to start another daemon: systemd pauses 100 ms, others a second. */
const supervisorPatience = 3_000;

export interface LaunchOptions {
  onWait?: (text: string) => void;
  /** The daemon's program. Default: that of this installation. */
  main?: string;
  /** Milliseconds for all of it. Default 15,000. */
  deadline?: number;
}

/** Rejects with DAEMON_FAILED when the daemon ends at once or is not there at the deadline, and as `connect` does. */
export async function launchDaemon(paths: HomePaths, options: LaunchOptions = {}): Promise<Connection> {
  const { onWait, main = installed.daemon, deadline = 15_000 } = options;
  prepareHome(paths);
  const returned = await supervised(paths, onWait);
  if (returned) return returned;
  const pause = createPause(deadline);
  for (;;) {
    // The lock ends with its holder: when the launching command is killed, the next one takes over.
    const lock = await acquireLock(paths, 'launch');
    if (lock) {
      onWait?.('launching the daemon');
      try {
        return (await connectIfRunning(paths)) ?? (await bringUp(paths, main, pause));
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
 * The daemon that the system starts: one that was looked after by the system is back in a moment, and would find the home
 * taken. Undefined where there is none, or nobody has started it again in time.
 */
async function supervised(paths: HomePaths, onWait?: LaunchOptions['onWait']): Promise<Connection | undefined> {
  if (!existsSync(paths.supervised)) return undefined;
  onWait?.('waiting for the system to start the daemon again');
  const end = realClock.now() + supervisorPatience;
  while (realClock.now() < end) {
    const connection = await connectIfRunning(paths);
    if (connection) return connection;
    await new Promise<void>((resolve) => realClock.after(waiterPause, resolve));
  }
  return undefined;
}

async function bringUp(paths: HomePaths, main: string, pause: Pause): Promise<Connection> {
  const daemon = spawnDaemon(paths, main);
  for (;;) {
    await pause(launcherPause).catch((late) => {
      daemon.kill();
      throw late;
    });
    const connection = await connectIfRunning(paths);
    if (connection) return connection;
    daemon.check();
  }
}

/** Pauses until the next look. Rejects with DAEMON_FAILED once the deadline has passed. */
type Pause = (ms: number) => Promise<void>;

function createPause(deadline: number): Pause {
  const end = realClock.now() + deadline;
  return (ms) => {
    if (realClock.now() < end) return new Promise((resolve) => realClock.after(ms, resolve));
    return Promise.reject(failure('DAEMON_FAILED', { detail: `it does not answer after ${deadline / 1_000} s` }));
  };
}
