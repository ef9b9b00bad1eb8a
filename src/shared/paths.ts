// Every file name under the nsv home.
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

export interface HomePaths {
  home: string;
  /** The daemon's Unix socket, mode 0600. */
  socket: string;
  /** Where processes report whose daemon has died. */
  workers: string;
  /** Pid and start time of the running daemon. */
  pid: string;
  /** There while a supervisor of the system looks after the daemon, instead of a guard. */
  supervised: string;
  /** The same of the daemon that is to take the place of that one, which makes it `pid` when it does. */
  heir: string;
  /** A random identity of this home; names its locks. */
  identity: string;
  /** The daemon's own log, pino JSON. */
  log: string;
  /** What the daemon printed while it was launched: empty unless that failed. */
  launchLog: string;
  /** What `nsv save` wrote. */
  saved: string;
  /** What the next daemon goes on from; beside it the one before, and what could not be used. */
  state: string;
  /** Output of the apps. */
  logs: string;
  /** There while processes stand still so that a log file can be rotated: who they are. */
  rotation: string;
  /** Pipes from apps to the formatter. */
  fifos: string;
  /** The formatter's Unix socket, mode 0600. */
  formatter: string;
  /** What the formatter printed: empty unless it failed. */
  formatterLog: string;
}

/** `$NSV_HOME`, or `~/.nsv`. */
export function homePaths(home: string = process.env.NSV_HOME || join(homedir(), '.nsv')): HomePaths {
  const root = resolve(home);
  const at = (name: string) => join(root, name);
  return {
    home: root,
    socket: at('daemon.sock'),
    workers: at('workers.sock'),
    pid: at('daemon.pid'),
    supervised: at('supervised'),
    heir: at('daemon.pid.next'),
    identity: at('identity'),
    log: at('daemon.log'),
    launchLog: at('daemon-start.log'),
    saved: at('saved.json'),
    state: at('state.json'),
    logs: at('logs'),
    rotation: at('rotation.json'),
    fifos: at('fifos'),
    formatter: at('formatter.sock'),
    formatterLog: at('formatter.log'),
  };
}

/** Where this build is installed. Every bundle and every source folder lies two levels below the package. */
const packageRoot = join(import.meta.dirname, '..', '..');

export const installed = {
  /** What scripts/build.mjs makes. */
  bundles: join(packageRoot, 'dist'),
  /** The `sh` launcher. */
  launcher: join(packageRoot, 'bin', 'nsv'),
  daemon: join(packageRoot, 'dist', 'daemon', 'main.js'),
  /** The shell program that starts the daemon again when it dies. */
  guard: join(packageRoot, 'bin', 'guard.sh'),
  /** The daemon in the foreground. */
  run: join(packageRoot, 'dist', 'run', 'main.js'),
  /** The screen of `nsv monit`. */
  monit: join(packageRoot, 'dist', 'monit', 'main.js'),
  /** Says what is wrong with a home. */
  doctor: join(packageRoot, 'dist', 'doctor', 'main.js'),
  /** Executes a config file that is a program. */
  evaluate: join(packageRoot, 'dist', 'config', 'evaluate.js'),
  /** Rotates log files, while there is something to rotate. */
  rotator: join(packageRoot, 'dist', 'rotator', 'main.js'),
  /** Reads what apps print, and writes it to their logs. */
  formatter: join(packageRoot, 'dist', 'formatter', 'main.js'),
  /** Serves files, as an app. */
  serve: join(packageRoot, 'dist', 'serve', 'main.js'),
  /** Loaded into managed Node processes before the user's program. */
  preload: join(packageRoot, 'dist', 'worker', 'preload.js'),
  /** Puts an inherited socket into the LISTEN state, then ends. */
  activate: join(packageRoot, 'dist', 'daemon', 'sockets', 'activate.js'),
};
