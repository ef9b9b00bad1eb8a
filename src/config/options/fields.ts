// The option table: every setting of an app. Flags, validation, defaults, help and docs derive from it.
import { appName } from '../app-name.ts';
import { fileFields } from './file-fields.ts';
import { lineFields } from './line-fields.ts';
import { logFields } from './log-fields.ts';
import {
  BadValue,
  duration,
  environment,
  flag,
  integer,
  limit,
  listenAddress,
  listOf,
  oneOf,
  optional,
  type Parser,
  signalName,
  sizeOrShare,
  taking,
  text,
  texts,
} from './parsers.ts';

export interface Field<T> {
  parse: Parser<T>;
  /** One line for help and docs. */
  doc: string;
  /** What applies when the user says nothing; a row without one is required. */
  default?: NoInfer<T>;
  /** As commander spells it. A row without a flag is filled in by `resolve.ts`. */
  flag?: string;
  /** How the default reads in help, where the value itself would not explain it. */
  shown?: string;
}

const field = <T>(row: Field<T>): Field<T> => row;

/** Of one app: far more than a machine can serve, so a mistake. */
export const mostInstances = 10_000;

/** Instances: a count, `max` (the CPUs this process may use), or `-k` (that many fewer, at least 1). */
export type InstanceCount = number | 'max' | `-${number}`;

/** 0 is `max`, as in PM2. */
export const instanceCountOf: Parser<InstanceCount> = taking<InstanceCount>(
  { type: ['integer', 'string'] },
  (input) => {
    const word = String(input).trim();
    if (word === 'max' || word === '0') return 'max';
    const [, minus, digits] = /^(-?)([1-9]\d*)$/.exec(word) ?? [];
    if (digits === undefined || Number(digits) > mostInstances) {
      throw new BadValue(
        `must be a number up to ${mostInstances}, "max", or "-k" for k fewer than that, not ${JSON.stringify(input)}`,
      );
    }
    return minus ? `-${Number(digits)}` : Number(digits);
  },
);

/** How the instances of a Node app share their listening sockets: DESIGN.md, 3. */
export const schedules = ['kernel', 'reuseport', 'rr'] as const;

export const fields = {
  name: field({ flag: '-n, --name <name>', doc: 'name of the app', shown: 'the file name', parse: appName }),
  namespace: field({
    flag: '--namespace <name>',
    doc: 'namespace, a target for other commands',
    parse: appName,
    default: 'default',
  }),
  script: field({ doc: 'absolute path of the program, or of the file its interpreter runs', parse: text }),
  args: field({ doc: 'arguments of the program', parse: texts, default: [] }),
  interpreter: field({
    flag: '--interpreter <program>',
    doc: 'program that runs the file; "none" executes it',
    shown: 'by extension or shebang',
    parse: optional(text),
    default: undefined,
  }),
  interpreterArgs: field({
    flag: '--interpreter-args <args>',
    doc: 'arguments of the interpreter (for Node: --node-args)',
    parse: texts,
    default: [],
  }),
  node: field({ doc: 'whether the interpreter is Node: then instances share sockets', parse: flag, default: false }),
  instances: field({
    flag: '-i, --instances <n>',
    doc: 'number of instances; "max" or 0 for the CPUs that may be used, "-k" for k fewer, at least 1',
    parse: integer(1, mostInstances),
    default: 1,
  }),
  cwd: field({ flag: '--cwd <directory>', doc: 'working directory', shown: 'the current one', parse: text }),
  env: field({ doc: 'environment of the app', shown: 'that of the shell', parse: environment, default: {} }),
  filterEnv: field({
    flag: '--filter-env <prefixes>',
    doc: 'leave out environment variables that start with one of these (comma-separated)',
    parse: listOf(text),
    default: [],
  }),
  stdin: field({
    flag: '--stdin <what>',
    doc: 'standard input: none, or a pipe for "nsv send" and "nsv attach"',
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
  stopSignal: field({
    flag: '--stop-signal <signal>',
    doc: 'signal that asks the app to stop',
    parse: signalName,
    default: 'SIGTERM',
  }),
  shutdownWithMessage: field({
    flag: '--shutdown-with-message',
    doc: "ask the app to stop by the message 'shutdown' instead of the signal",
    parse: flag,
    default: false,
  }),
  suicide: field({
    flag: '--no-suicide',
    doc: 'end at once at an uncaught error, as plain Node does, instead of finishing the other requests first',
    parse: flag,
    default: true,
  }),
  autorestart: field({
    flag: '--no-autorestart',
    doc: 'do not restart the app when it ends by itself',
    parse: flag,
    default: true,
  }),
  maxRestarts: field({
    flag: '--max-restarts <n>',
    doc: 'restarts within the window after which nsv gives up; "unlimited" for never',
    parse: limit,
    default: 10,
  }),
  restartWindow: field({
    flag: '--restart-window <duration>',
    doc: 'window in which restarts are counted',
    parse: duration,
    default: 60_000,
    shown: '1m',
  }),
  restartDelay: field({
    flag: '--restart-delay <duration>',
    doc: 'fixed delay before a restart',
    parse: duration,
    default: 0,
  }),
  expBackoffRestartDelay: field({
    flag: '--exp-backoff-restart-delay <duration>',
    doc: 'first delay of a growing one (x 1.5 up to 15 s, forgotten after min-uptime)',
    parse: duration,
    default: 0,
  }),
  minUptime: field({
    flag: '--min-uptime <duration>',
    doc: 'time after which a process that neither listens nor reports counts as ready',
    parse: duration,
    default: 1_000,
    shown: '1s',
  }),
  retryAfter: field({
    flag: '--retry-after <duration>',
    doc: 'try again this long after giving up',
    parse: duration,
    default: 0,
    shown: 'never',
  }),
  stopExitCodes: field({
    flag: '--stop-exit-codes <codes>',
    doc: 'exit codes that mean "finished": no restart (comma-separated)',
    parse: listOf(integer(0, 255)),
    default: [],
  }),
  waitReady: field({
    flag: '--wait-ready',
    doc: "ready only when the app says process.send('ready')",
    parse: flag,
    default: false,
  }),
  listenTimeout: field({
    flag: '--listen-timeout <duration>',
    doc: 'time in which the app must become ready',
    parse: duration,
    default: 30_000,
    shown: '30s',
  }),
  maxMemoryRestart: field({
    flag: '--max-memory-restart <size>',
    doc: 'restart when the process and its children use more memory; 80% is of what the cgroup or the machine has',
    parse: optional(sizeOrShare),
    default: undefined,
  }),
  maxRequests: field({
    flag: '--max-requests <n>',
    doc: 'replace a Node process after so many HTTP requests; each draws its own limit from 90 % to 100 % of it',
    parse: integer(0),
    default: 0,
    shown: 'never',
  }),
  maxAge: field({
    flag: '--max-age <duration>',
    doc: 'replace a process of this age; each draws its own limit from 90 % to 100 % of it',
    parse: duration,
    default: 0,
    shown: 'never',
  }),
  listen: field({
    flag: '--listen <address...>',
    doc: 'port, host:port or path that nsv binds and hands to the app (LISTEN_FDS; Node: the "server" message)',
    parse: listOf(listenAddress),
    default: [],
  }),
  schedule: field({
    flag: '--schedule <way>',
    doc: 'how instances share sockets: kernel, reuseport or rr',
    parse: oneOf(...schedules),
    default: 'kernel',
  }),
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
  pidFile: field({
    flag: '--pid-file <file>',
    doc: 'file that holds the pid while the process runs; that of the second instance has -1 before its extension',
    parse: optional(text),
    default: undefined,
  }),
  mergeLogs: field({ flag: '--merge-logs', doc: 'one log file for all instances', parse: flag, default: false }),
  ...lineFields,
  ...logFields,
  uid: field({ flag: '--uid <user>', doc: 'user to run as', parse: optional(text), default: undefined }),
  gid: field({ flag: '--gid <group>', doc: 'group to run as', parse: optional(text), default: undefined }),
  watch: field({
    flag: '--watch [paths]',
    doc: 'restart on file changes, in cwd or the given paths',
    parse: texts,
    default: [],
  }),
  ignoreWatch: field({
    flag: '--ignore-watch <patterns>',
    doc: 'names, paths or globs that do not restart (comma-separated)',
    parse: listOf(text),
    default: ['node_modules', '.git'],
  }),
  watchDelay: field({
    flag: '--watch-delay <duration>',
    doc: 'quiet time after a change before the restart',
    parse: duration,
    default: 200,
  }),
  cronRestart: field({
    flag: '--cron-restart <pattern>',
    doc: 'restart by a cron pattern',
    parse: optional(text),
    default: undefined,
  }),
  onGiveup: field({
    flag: '--on-giveup <command>',
    doc: 'shell command to run when nsv gives up restarting; NSV_REASON and NSV_LAST_ERROR tell it why',
    parse: optional(text),
    default: undefined,
  }),
  ...fileFields,
} satisfies Record<string, Field<unknown>>;
