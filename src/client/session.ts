// The daemon of the home, as a command meets it: connected, launched if that is allowed, of the right version.
import { existsSync } from 'node:fs';
import { type Connection, connectIfRunning } from '../ipc/client.ts';
import { failure } from '../shared/errors.ts';
import { checkHome } from '../shared/home.ts';
import { type HomePaths, homePaths } from '../shared/paths.ts';

export interface SessionOptions {
  /** Whether a daemon may be launched when none runs. One that has died is always replaced. */
  launch: boolean;
  /** What launches one. Nearly all commands find their daemon, and must not pay for loading it. */
  loadLauncher: () => Promise<typeof import('./daemon-launch.ts').launchDaemon>;
  /** Even a daemon that speaks another protocol. */
  anyVersion?: boolean;
  /** Told what a session that takes its time waits for. */
  onWait?: (text: string) => void;
  paths?: HomePaths;
}

/** Rejects with HOME_UNSAFE, with DAEMON_NOT_RUNNING when none may be launched, and as `connect` and `launchDaemon` do. */
export async function openSession(options: SessionOptions): Promise<Connection> {
  const { launch, loadLauncher, anyVersion = false, onWait, paths = homePaths() } = options;
  checkHome(paths);
  const running = await connectIfRunning(paths, { anyProtocol: anyVersion });
  if (running) return running;
  // A daemon that ended in good order leaves no state: this one has died, and apps wait for the next.
  if (!launch && !existsSync(paths.state)) throw failure('DAEMON_NOT_RUNNING', { home: paths.home });
  const launchDaemon = await loadLauncher();
  return launchDaemon(paths, { ...(onWait && { onWait }) });
}
