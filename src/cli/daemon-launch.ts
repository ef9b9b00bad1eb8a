// The first commands on a home without a daemon: one of them launches it, the others wait for it.
import { type Connection, connectIfRunning } from '../ipc/client.ts';
import { realClock } from '../shared/clock.ts';
import { failure } from '../shared/errors.ts';
import { prepareHome } from '../shared/home.ts';
import { acquireLock } from '../shared/lock.ts';
import { type HomePaths, installed } from '../shared/paths.ts';
import { spawnDaemon } from './daemon-process.ts';

/** Between two looks at the socket: short, for a daemon boots in some 30 ms, and a look costs 0.3 ms. */
const launcherPause = 4;
/** The same for the others, of which there may be many. */
const waiterPause = 25;

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
