// A command's session: connects to the daemon of the home, launches it if allowed, and switches to the next one.
import { existsSync } from 'node:fs';
import { type Connection, canAskAgain, connectIfRunning } from '../ipc/client.ts';
import type { Client, MethodName, Report } from '../ipc/protocol.ts';
import { checkHome } from '../os/trust/home.ts';
import { realClock } from '../shared/clock.ts';
import { failure } from '../shared/errors.ts';
import { type HomePaths, homePaths } from '../shared/paths.ts';

export interface SessionOptions {
  /** Whether to launch a daemon if none is running. A daemon that has died is always replaced. */
  launch: boolean;
  /** Loads the launcher. Nearly all commands find a running daemon, and should not pay for loading it. */
  loadLauncher: () => Promise<typeof import('./daemon-launch.ts').launchDaemon>;
  /** Accepts a daemon with another protocol version. */
  anyVersion?: boolean;
  /** A daemon that is launched is to be of this version: see `LaunchOptions`. */
  isUpdate?: boolean;
  /** Called with what a slow session is waiting for. */
  onWait?: (text: string) => void;
  paths?: HomePaths;
}

/** Rejects with HOME_UNSAFE, DAEMON_NOT_RUNNING (without `launch`), or as `openConnection` and `launchDaemon` do. */
export async function openSession(options: SessionOptions): Promise<Connection> {
  const { launch, loadLauncher, anyVersion = false, isUpdate = false, onWait, paths = homePaths() } = options;
  checkHome(paths);
  const running = await connectIfRunning(paths, { anyProtocol: anyVersion });
  if (running) return running;
  if (!launch && !hasDied(paths)) throw failure('DAEMON_NOT_RUNNING', { home: paths.home });
  const launchDaemon = await loadLauncher();
  return launchDaemon(paths, { isUpdate, ...(onWait && { onWait }) });
}

/**
 * A daemon that shuts down removes both files. If one of them is left, the daemon has died, and what it runs needs the
 * next one. The state alone does not tell: the first app of a home runs a moment before the state is written.
 */
function hasDied({ state, pid }: HomePaths): boolean {
  return existsSync(state) || existsSync(pid);
}

/** Milliseconds. */
const timeout = 10_000;

/** Resolves when the daemon is gone. Rejects with DAEMON_SILENT after 10 s. */
export function waitForExit({ closed }: Connection): Promise<void> {
  return new Promise((resolve, reject) => {
    const seconds = timeout / 1_000;
    const cancel = realClock.after(timeout, () => reject(failure('DAEMON_SILENT', { method: 'kill', seconds })));
    // `closed` never rejects.
    void closed.then(cancel).then(resolve);
  });
}

/** A client that switches to the next daemon if its daemon hands over or dies. `next` connects to the current daemon. */
export function reconnectingClient(first: Client, next: () => Promise<Client>): Client {
  let current = Promise.resolve(first);

  async function call(name: MethodName, params: never, report?: Report, isFirst = true): Promise<unknown> {
    const asked = current;
    try {
      return await (await asked)[name](params, report);
    } catch (error) {
      if (!canAskAgain(name, error, isFirst)) throw error;
      if (current === asked) current = next();
      return call(name, params, report, false);
    }
  }

  const names = Object.keys(first) as MethodName[];
  return Object.fromEntries(
    names.map((name) => [name, (params: never, report?: Report) => call(name, params, report)]),
  ) as Client;
}
