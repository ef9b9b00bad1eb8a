// The option table: every setting of an app. Flags, validation, defaults, help and docs derive from it.
import { appName } from '../app-name.ts';
import { mostInstances } from '../instances.ts';
import { type Field, field, optionalField, toggle } from './field.ts';
import { fileFields } from './file-fields.ts';
import { healthFields } from './health-fields.ts';
import { limitFields } from './limit-fields.ts';
import { logFields } from './log-fields.ts';
import {
  booleanFlag,
  duration,
  environment,
  integer,
  likeTheLast,
  limit,
  listenAddress,
  listOf,
  oneOf,
  stopSignal,
  text,
  texts,
} from './parsers.ts';
import { userFields } from './user-fields.ts';

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
  interpreter: optionalField({
    flag: '--interpreter <program>',
    doc: 'program that runs the file; "none" executes the file itself',
    shown: 'by extension or shebang',
    parse: text,
  }),
  interpreterArgs: field({
    flag: '--interpreter-args <args>',
    doc: 'arguments for the interpreter',
    parse: texts,
    default: [],
  }),
  node: field({
    doc: 'whether the interpreter is Node, whose instances share sockets',
    parse: booleanFlag,
    default: false,
  }),
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
  env: field({
    doc: 'environment variables of the app',
    shown: 'that of the shell',
    parse: likeTheLast(environment),
    default: {},
  }),
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
  keepOrphans: toggle('--keep-orphans', 'do not stop descendants that have left the session of the app (setsid)'),
  stopSignal: field({
    flag: '--stop-signal <signal>',
    doc: 'signal that asks the app to stop; auto: SIGTERM, or SIGINT for a Node app that handles SIGINT alone',
    parse: stopSignal,
    default: 'auto',
  }),
  shutdownWithMessage: toggle('--shutdown-with-message', "send the message 'shutdown' instead of the stop signal"),
  drainOnCrash: toggle(
    '--no-drain-on-crash',
    'exit at once on an uncaught exception, instead of finishing other requests first',
  ),
  autorestart: toggle('--no-autorestart', 'do not restart the app when it exits'),
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
  minUptime: optionalField({
    flag: '--min-uptime <duration>',
    doc: 'towards giving up, count only processes that ended sooner than this',
    parse: duration,
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
  waitReady: toggle('--wait-ready', "wait for the app to call process.send('ready')"),
  listenSuffices: field({
    doc: 'whether an app that waitReady concerns counts as ready at listenTimeout if it listens by then, as in PM2',
    parse: booleanFlag,
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
  listen: field({
    flag: '--listen <address...>',
    doc: 'port, host:port or path that nsv binds and passes on (LISTEN_FDS; in Node: the "server" message)',
    parse: listOf(listenAddress),
    default: [],
  }),
  listenEach: optionalField({
    flag: '--listen-each <port>',
    doc: 'give each instance a port of its own instead: this one, the next, and so on',
    parse: integer(1, 65_535),
  }),
  schedule: field({
    flag: '--schedule <way>',
    doc: 'how instances share sockets: kernel, rr, or sticky for one process per client',
    parse: oneOf('kernel', 'rr', 'sticky'),
    default: 'kernel',
  }),
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
    default: [],
  }),
  watchDelay: field({
    flag: '--watch-delay <duration>',
    doc: 'restart after this long without further changes',
    parse: duration,
    default: 200,
  }),
  cronRestart: optionalField({
    flag: '--cron-restart <pattern>',
    doc: 'restart on a cron schedule, such as "0 4 * * *"',
    parse: text,
  }),
  onGiveup: optionalField({
    flag: '--on-giveup <command>',
    doc: 'shell command to run on giving up; gets NSV_REASON and NSV_LAST_ERROR',
    parse: text,
  }),
  onDeath: optionalField({
    flag: '--on-death <command>',
    doc: 'shell command to run when a process has died; gets the record as JSON on standard input',
    parse: text,
  }),
  ...fileFields,
} satisfies Record<string, Field<unknown>>;
