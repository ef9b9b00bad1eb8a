// `nsv daemon --foreground`: systemd, or another supervisor of the system, in the place of our own guard.
import { rmSync, writeFileSync } from 'node:fs';
import { NsvError } from '../shared/errors.ts';
import type { HomePaths } from '../shared/paths.ts';
import type { Registry } from './apps/registry.ts';
import type { Daemon } from './daemon.ts';
import { createNotify } from './launch/notify.ts';
import type { Logger } from './logger.ts';
import { type Given, receiveSockets } from './sockets/given.ts';

export interface Foreground {
  /** Listening sockets that systemd holds for us. */
  given: Given[];
  /** Starts what was saved. Resolves when it runs, or cannot. */
  wake(daemon: Daemon): Promise<void>;
  /** Everything is up. */
  ready(registry: Registry): Promise<void>;
  stopping(registry: Registry): void;
  /** The end that was asked for: the supervisor will not start another. */
  release(): void;
}

/** Milliseconds beyond the longest kill timeout until all is gone. */
const margin = 10_000;

/** What systemd has put into the environment is for us, not for what we start: it is taken out. */
export function enterForeground({ supervised }: HomePaths, logger: Logger, env = process.env): Foreground {
  const notify = createNotify(env.NOTIFY_SOCKET, (detail) => logger.warn({ detail }, 'failed to notify systemd'));
  const given = receiveSockets(env, (fd, detail) =>
    logger.error({ fd, detail }, 'failed to use a socket passed by systemd'),
  );
  for (const name of ['NOTIFY_SOCKET', 'LISTEN_PID', 'LISTEN_FDS', 'LISTEN_FDNAMES']) delete env[name];
  // Commands that find no daemon leave it to the supervisor to start another.
  writeFileSync(supervised, '', { mode: 0o600 });
  process.chdir('/');
  // That of the command line, which ends at once.
  process.removeAllListeners('SIGINT');
  return {
    given,
    async wake({ handlers }) {
      try {
        await handlers.resurrect({}, () => {});
      } catch (error) {
        if (!(error instanceof NsvError)) throw error;
        if (error.code === 'NOTHING_SAVED') logger.info('no saved apps to start');
        else logger.error({ detail: error.message }, 'failed to start all saved apps');
      }
    },
    ready: ({ groups }) => notify('READY=1', `STATUS=apps: ${groups.length}`),
    stopping({ groups }) {
      const longest = Math.max(0, ...groups.map(({ spec }) => spec.killTimeout));
      // It never rejects.
      void notify('STOPPING=1', `EXTEND_TIMEOUT_USEC=${(longest + margin) * 1_000}`);
    },
    release: () => rmSync(supervised, { force: true }),
  };
}
