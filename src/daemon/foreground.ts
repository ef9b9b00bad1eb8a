// `nsv daemon --foreground`: runs under systemd or another system supervisor instead of nsv's own guard.
import { rmSync, writeFileSync, writeSync } from 'node:fs';
import { treeVariable } from '../os/own-variables.ts';
import { NsvError } from '../shared/errors.ts';
import type { HomePaths } from '../shared/paths.ts';
import type { Registry } from './apps/registry.ts';
import type { Daemon } from './daemon.ts';
import { createNotify } from './launch/notify.ts';
import type { Logger } from './logger.ts';
import { receiveSockets } from './sockets/given.ts';

/** Milliseconds beyond the longest kill timeout until everything has stopped. */
const margin = 10_000;

/**
 * Removes systemd's variables from the environment: they are for the daemon, not for the apps it starts. Also that of an
 * app of another nsv, if the daemon runs below one: what this daemon starts does not belong to that app.
 */
export function enterForeground({ supervised }: HomePaths, logger: Logger, env = process.env) {
  const notify = createNotify(env.NOTIFY_SOCKET, (detail) => logger.warn({ detail }, 'failed to notify systemd'));
  const given = receiveSockets(env, (fd, detail) =>
    logger.error({ fd, detail }, 'failed to use a socket passed by systemd'),
  );
  for (const name of ['NOTIFY_SOCKET', 'LISTEN_PID', 'LISTEN_FDS', 'LISTEN_FDNAMES', treeVariable]) delete env[name];
  // While this file exists, a command that finds no daemon leaves it to the supervisor to start one.
  writeFileSync(supervised, '', { mode: 0o600 });
  process.chdir('/');
  // The handler of the command line would exit at once.
  process.removeAllListeners('SIGINT');
  return {
    /** Listening sockets that systemd holds for the daemon. */
    given,
    /** Starts the saved apps. Resolves when they run, or cannot be started. */
    async startApps({ handlers, logger }: Daemon) {
      try {
        await handlers.resurrect({}, () => {});
      } catch (error) {
        if (!(error instanceof NsvError)) throw error;
        if (error.code === 'NOTHING_SAVED') logger.info('no saved apps to start');
        else logger.error({ detail: error.message }, 'failed to start all saved apps');
      }
    },
    /** Tells systemd that the apps are up. */
    ready: ({ groups }: Registry) => notify('READY=1', `STATUS=apps: ${groups.length}`),
    stopping({ groups }: Registry) {
      const longest = Math.max(0, ...groups.map(({ spec }) => spec.killTimeout));
      // `notify` never rejects.
      void notify('STOPPING=1', `EXTEND_TIMEOUT_USEC=${(longest + margin) * 1_000}`);
    },
    /** Removes the marker of supervision: after a requested end, the supervisor starts no other daemon. */
    release: () => rmSync(supervised, { force: true }),
  };
}

/** The lowest pino level of each priority of syslog(3). */
const priorities: readonly [level: number, priority: number][] = [
  [60, 2],
  [50, 3],
  [40, 4],
  [30, 6],
];
const debug = 7;

/**
 * Returns a function that writes the daemon's own messages, which are lines of pino, on standard error: for people and for systemd's
 * journal. A reader that is gone or too slow does not end the daemon.
 */
export function createJournalStream(env: NodeJS.ProcessEnv): (line: string) => void {
  const isJournal = env.JOURNAL_STREAM !== undefined;
  return (line) => {
    try {
      writeSync(2, renderMessage(line, isJournal));
    } catch {
      // daemon.log has the line anyway.
    }
  };
}

/** `<4>message key=value`: the journal strips the number and stores it as the priority (sd-daemon(3)). */
export function renderMessage(line: string, isJournal: boolean): string {
  const { level, time: _, msg, ...facts } = JSON.parse(line) as { level: number; time: number; msg: string };
  const priority = priorities.find(([from]) => level >= from)?.[1] ?? debug;
  const words = Object.entries(facts).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return `${isJournal ? `<${priority}>` : 'nsv: '}${[msg, ...words].join(' ')}\n`;
}
