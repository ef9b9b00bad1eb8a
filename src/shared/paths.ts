// All paths in the nsv home.
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { errnoOf } from './errno.ts';

/** The names of what is in the home. */
const names = {
  /** The daemon's Unix socket, mode 0600. */
  socket: 'daemon.sock',
  /** The Unix socket on which workers reconnect after their daemon has died. */
  workers: 'workers.sock',
  /** Pid and start time of the running daemon. */
  pid: 'daemon.pid',
  /** Exists while a service manager restarts the daemon, instead of the guard. */
  supervised: 'supervised',
  /** Pid and start time of a daemon that is about to take over. It becomes `pid` when it does. */
  pendingPid: 'daemon.pid.next',
  /** Claims to the locks of this home (src/os/lock/lock.ts). */
  locks: 'locks',
  /** The marks of the processes that were started (daemon/state/spawn-log.ts), mode 0600. */
  spawns: 'spawns',
  /** The daemon's own log, pino JSON. */
  log: 'daemon.log',
  /** Output of the daemon during launch; empty unless the launch failed. */
  launchLog: 'daemon-start.log',
  /** The list written by `nsv save`. */
  saved: 'saved.json',
  /** The state that the next daemon continues from. Backups are beside it: the previous state, and unusable files. */
  state: 'state.json',
  /** The journal of events, one JSON object per line. Its predecessor is beside it (`olderJournal`). */
  events: 'events.jsonl',
  /** Why processes of the apps have ended: a file per app. */
  deaths: 'deaths',
  /** Output of the apps. */
  logs: 'logs',
  /** Exists while processes are paused to rotate a log file, and lists them. */
  rotation: 'rotation.json',
  /** Pipes from apps to the formatter. */
  fifos: 'fifos',
  /** The formatter's Unix socket, mode 0600. */
  formatter: 'formatter.sock',
  /** Output of the formatter; empty unless it failed. */
  formatterLog: 'formatter.log',
  /** Copies of what daemons need of the package (client/copies.ts). Not those of root. */
  copies: 'copies',
  /** Compiled code of the command line. */
  codeCache: 'code-cache',
  /** Which notices commands have made about config files. */
  notices: 'notices.json',
};

/** Absolute paths. */
export type HomePaths = { [K in keyof typeof names | 'home']: string };

/** The home directory of this user; `/`, as in a container, for one without `$HOME` and without an entry in /etc/passwd. */
export function homeDirectory(): string {
  try {
    return homedir();
  } catch (error) {
    if (errnoOf(error) !== 'ERR_SYSTEM_ERROR') throw error;
    return '/';
  }
}

/** `$NSV_HOME`, or `~/.nsv`. */
export function homePaths(home: string = process.env.NSV_HOME || join(homeDirectory(), '.nsv')): HomePaths {
  const root = resolve(home);
  const paths: Record<string, string> = { home: root };
  // Not with join(), here and below: it would cost every command a millisecond.
  for (const [key, name] of Object.entries(names)) paths[key] = `${root}/${name}`;
  return paths as HomePaths;
}

/** The journal is renamed to this when it is full. */
export function olderJournal(file: string): string {
  return `${file}.1`;
}

/** The variable that has `nsv logs` end with its standard input, which the program that reads its output holds open. */
export const inputOfReader = 'NSV_READER_INPUT';

/** The package that this program belongs to, or a copy of it (client/copies.ts). Every bundle and every source folder is two levels below. */
export const ownRoot = join(import.meta.dirname, '..', '..');

export const installed = programsIn(ownRoot);

/** The programs of the package, or of a copy of it. */
export function programsIn(root: string) {
  return {
    /** Output of scripts/build.mjs. */
    bundles: `${root}/dist`,
    /** The `sh` launcher. */
    launcher: `${root}/bin/nsv`,
    daemon: `${root}/dist/daemon/main.js`,
    /** The shell script that restarts the daemon when it dies. */
    guard: `${root}/bin/guard.sh`,
    /** The program of `nsv`, without its launcher. */
    commandLine: `${root}/dist/cli/main.js`,
    /** The screen of `nsv monit`. */
    monit: `${root}/dist/monit/main.js`,
    /** Reads profiles and heap snapshots. */
    profile: `${root}/dist/profile/main.js`,
    /** Looks into a blocked process for the watchdog. */
    stackFinder: `${root}/dist/client/stacks/main.js`,
    /** Checks a home for problems. */
    doctor: `${root}/dist/doctor/main.js`,
    /** Runs a config file that is a program. */
    evaluate: `${root}/dist/config/evaluate.js`,
    /** Rotates log files. Runs only when needed. */
    rotator: `${root}/dist/rotator/main.js`,
    /** Reads the channels of apps of another user. */
    broker: `${root}/dist/broker/main.js`,
    /** Reads the apps' output and writes it to their logs. */
    formatter: `${root}/dist/formatter/main.js`,
    /** Serves static files, as an app. */
    serve: `${root}/dist/serve/main.js`,
    /** Answers health probes, as an app. */
    health: `${root}/dist/health/main.js`,
    /** Loaded into managed Node processes before the user's program. */
    preload: `${root}/dist/worker/preload.js`,
    /** Puts an inherited socket into the LISTEN state, then exits. */
    activate: `${root}/dist/activator/main.js`,
    /** What a keeper of sockets becomes when its daemon has died. */
    keeper: `${root}/dist/keeper/main.js`,
    /** Binds and removes Unix sockets as the user of an app. */
    socketHelper: `${root}/dist/socket-helper/main.js`,
  };
}
