// The option table: every setting of an app. Flags, validation, defaults, help and docs derive from it.
import { appName } from '../app-name.ts';
import { fileFields } from './file-fields.ts';
import { healthFields } from './health-fields.ts';
import { hookFields } from './hook-fields.ts';
import { limitFields } from './limit-fields.ts';
import { lineFields } from './line-fields.ts';
import { logFields } from './log-fields.ts';
import {
  BadValue,
  duration,
  environment,
  flag,
  integer,
  limit,
  listOf,
  oneOf,
  optional,
  type Parser,
  stopSignal,
  taking,
  text,
  texts,
} from './parsers.ts';
import { priorityFields } from './priority-fields.ts';
import { socketFields } from './socket-fields.ts';
import { userFields } from './user-fields.ts';

export interface Field<T> {
  parse: Parser<T>;
  /** One line for help and docs. */
  doc: string;
  /** The default value; a row without one is required. */
  default?: NoInfer<T>;
  /** The flag in commander's syntax. `resolve.ts` computes the rows without one. */
  flag?: string;
  /** How the default reads in help, if the value itself does not explain it. */
  shown?: string;
}

const field = <T>(row: Field<T>): Field<T> => row;

/** The limit of instances per app: far more than a machine can run, so a higher number is a mistake. */
export const mostInstances = 10_000;

/** A number, `max` (the CPUs this process may use), or `-k` (k fewer than that, at least 1). */
export type InstanceCount = number | 'max' | `-${number}`;

/** 0 means `max`, as in PM2. */
export const instanceCountOf: Parser<InstanceCount> = taking<InstanceCount>(
  { type: ['integer', 'string'] },
  (input) => {
    const word = String(input).trim();
    if (word === 'max' || word === '0') return 'max';
    const [, minus, digits] = /^(-?)([1-9]\d*)$/.exec(word) ?? [];
    if (digits === undefined || Number(digits) > mostInstances) {
      throw new BadValue(
        `must be a number up to ${mostInstances}, "max", or "-k" (k fewer than the CPUs), not ${JSON.stringify(input)}`,
      );
    }
    return minus ? `-${Number(digits)}` : Number(digits);
  },
);

export const fields = {
  name: field({ flag: '-n, --name <name>', doc: 'name of the app', shown: 'the file name', parse: appName }),
  namespace: field({
    flag: '--namespace <name>',
    doc: 'namespace of the app; other commands accept it as a target',
    parse: appName,
    default: 'default',
  }),
  script: field({ doc: 'absolute path of the program, or of the file that the interpreter runs', parse: text }),
  args: field({ doc: 'arguments of the program', parse: texts, default: [] }),
  interpreter: field({
    flag: '--interpreter <program>',
    doc: 'program that runs the file; "none" executes the file itself',
    shown: 'by extension or shebang',
    parse: optional(text),
    default: undefined,
  }),
  interpreterArgs: field({
    flag: '--interpreter-args <args>',
    doc: 'arguments for the interpreter',
    parse: texts,
    default: [],
  }),
  node: field({ doc: 'whether the interpreter is Node, whose instances share sockets', parse: flag, default: false }),
  instances: field({
    flag: '-i, --instances <n>',
    doc: 'number of instances; "max" or 0 for one per CPU, "-1" for one fewer',
    parse: integer(1, mostInstances),
    default: 1,
  }),
  execMode: field({
    doc: 'what "nsv jlist" calls the mode: cluster for a Node app with `instances`; instances always share their sockets',
    shown: 'by `instances`',
    parse: oneOf('fork', 'cluster'),
    default: 'fork',
  }),
  cwd: field({ flag: '--cwd <directory>', doc: 'working directory', shown: 'the current one', parse: text }),
  env: field({ doc: 'environment variables of the app', shown: 'that of the shell', parse: environment, default: {} }),
  binPath: field({
    doc: 'directories before those of PATH: each node_modules/.bin, for a command line or a script of package.json',
    parse: texts,
    default: [],
  }),
  filterEnv: field({
    flag: '--filter-env <prefixes>',
    doc: 'do not pass on environment variables that start with one of these (comma-separated)',
    parse: listOf(text),
    default: [],
  }),
  stdin: field({
    flag: '--stdin <what>',
    doc: 'standard input: none, or pipe for "nsv send" and "nsv attach"',
    parse: oneOf('none', 'pipe'),
    default: 'none',
  }),
  killTimeout: field({
    flag: '--kill-timeout <duration>',
    doc: 'time between the stop signal and SIGKILL',
    parse: duration,
    default: 5_000,
    shown: '5s',
  }),
  keepOrphans: field({
    flag: '--keep-orphans',
    doc: 'do not stop descendants that have left the session of the app (setsid)',
    parse: flag,
    default: false,
  }),
  stopSignal: field({
    flag: '--stop-signal <signal>',
    doc: 'signal that asks the app to stop; auto: SIGTERM, or SIGINT for a Node app that handles SIGINT alone',
    parse: stopSignal,
    default: 'auto',
  }),
  shutdownWithMessage: field({
    flag: '--shutdown-with-message',
    doc: "send the message 'shutdown' instead of the stop signal",
    parse: flag,
    default: false,
  }),
  drainOnCrash: field({
    flag: '--no-drain-on-crash',
    doc: 'exit at once on an uncaught exception, instead of finishing other requests first',
    parse: flag,
    default: true,
  }),
  autorestart: field({
    flag: '--no-autorestart',
    doc: 'do not restart the app when it exits',
    parse: flag,
    default: true,
  }),
  maxRestarts: field({
    flag: '--max-restarts <n>',
    doc: 'give up after this many restarts within the restart window, or "unlimited"',
    parse: limit,
    default: 10,
  }),
  restartWindow: field({
    flag: '--restart-window <duration>',
    doc: 'time window of --max-restarts',
    parse: duration,
    default: 60_000,
    shown: '1m',
  }),
  restartDelay: field({
    flag: '--restart-delay <duration>',
    doc: 'fixed delay before a restart',
    parse: duration,
    default: 0,
    shown: 'none',
  }),
  expBackoffRestartDelay: field({
    flag: '--exp-backoff-restart-delay <duration>',
    doc: 'first restart delay; grows 1.5 times up to 15 s, resets after --min-uptime',
    parse: duration,
    default: 0,
    shown: 'none',
  }),
  minUptime: field({
    flag: '--min-uptime <duration>',
    doc: 'how long a process that neither listens nor reports must stay up after it was loaded',
    parse: duration,
    default: 1_000,
    shown: '1s',
  }),
  retryAfter: field({
    flag: '--retry-after <duration>',
    doc: 'start again this long after giving up',
    parse: duration,
    default: 0,
    shown: 'never',
  }),
  stopExitCodes: field({
    flag: '--stop-exit-codes <codes>',
    doc: 'comma-separated exit codes after which the app is not restarted',
    parse: listOf(integer(0, 255)),
    default: [],
  }),
  waitReady: field({
    flag: '--wait-ready',
    doc: "wait for the app to call process.send('ready')",
    parse: flag,
    default: false,
  }),
  listenTimeout: field({
    flag: '--listen-timeout <duration>',
    doc: 'time within which the app must become ready',
    parse: duration,
    default: 30_000,
    shown: '30s',
  }),
  ...healthFields,
  ...limitFields,
  ...priorityFields,
  ...socketFields,
  outFile: field({
    flag: '-o, --output <file>',
    doc: 'file for standard output',
    shown: 'in the nsv home',
    parse: optional(text),
    default: undefined,
  }),
  errorFile: field({
    flag: '-e, --error <file>',
    doc: 'file for standard error',
    shown: 'in the nsv home',
    parse: optional(text),
    default: undefined,
  }),
  logFile: field({
    flag: '-l, --log <file>',
    doc: 'one file for both outputs of all instances',
    parse: optional(text),
    default: undefined,
  }),
  pidFile: field({
    flag: '--pid-file <file>',
    doc: 'file that contains the pid (of the second instance: with -1 before the extension)',
    parse: optional(text),
    default: undefined,
  }),
  mergeLogs: field({ flag: '--merge-logs', doc: 'one log file for all instances', parse: flag, default: false }),
  ...lineFields,
  ...logFields,
  ...userFields,
  watch: field({
    flag: '--watch [paths]',
    doc: 'restart when files change (default: in --cwd)',
    parse: texts,
    default: [],
  }),
  ignoreWatch: field({
    flag: '--ignore-watch <patterns>',
    doc: 'comma-separated names, paths or globs that --watch ignores',
    parse: listOf(text),
    default: ['node_modules', '.git'],
  }),
  watchDelay: field({
    flag: '--watch-delay <duration>',
    doc: 'restart after this long without further changes',
    parse: duration,
    default: 200,
  }),
  cronRestart: field({
    flag: '--cron-restart <pattern>',
    doc: 'restart on a cron schedule, such as "0 4 * * *"',
    parse: optional(text),
    default: undefined,
  }),
  ...hookFields,
  ...fileFields,
} satisfies Record<string, Field<unknown>>;
