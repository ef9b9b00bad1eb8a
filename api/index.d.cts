// Written by `npm run docs` from src/api/nsv.ts, src/ipc/views.ts and the tables: change those.

/// <reference lib="esnext.disposable" />

import type { AppConfig, Config } from '../config/index.cjs';

/** Connects to the daemon, and launches it where none runs. Rejects with an NsvError. */
export declare function connect(options?: ConnectOptions): Promise<Nsv>;

export interface ConnectOptions {
  /** Default: `$NSV_HOME`, or `~/.nsv`. */
  home?: string;
  /** Whether `connect`, `start` and `resurrect` launch the daemon if it is not running. Default: true. */
  launch?: boolean;
  /** The base of relative paths. Default: the working directory at the time of `connect`. */
  cwd?: string;
  /** The environment for started apps. Default: `process.env` at the time of `connect`. */
  env?: Readonly<Record<string, string | undefined>>;
}

/**
 * A name, an id, a namespace, `all` or `/regex/`, or a list of these. An empty list is rejected: it is rarely meant.
 */
export type Targets = string | number | readonly (string | number)[];

export interface CallOptions {
  /** Called with what the call is waiting for, each time it changes. */
  onProgress?: (text: string) => void;
}

export interface RestartOptions extends CallOptions {
  /** Whether the app gets the environment of this connection instead of its current one. Default: false. */
  updateEnv?: boolean;
}

export interface StartOptions extends RestartOptions {
  /** Whether to wait until the app is ready. Default: true. */
  wait?: boolean;
  /** Whether to replace a running app of the same name, and to restart a running app given by name. Default: false. */
  force?: boolean;
}

export interface ReloadOptions extends RestartOptions {
  /** How many instances are replaced at the same time. Default: 1. */
  parallel?: number;
  /** A new file to run; for a single app. */
  script?: string;
  /** A new working directory; for a single app. */
  cwd?: string;
}

export interface UpdateOptions extends RestartOptions {
  /** Default: `reload`. */
  how?: 'reload' | 'restart';
  /** How many instances a reload replaces at the same time. Default: 1. */
  parallel?: number;
}

export interface QueueChoice {
  /** An app that has opened the queue, if several apps have queues of this name that are kept in different places. */
  app?: string;
}

export interface EventsOptions {
  /** Default: all apps, including future ones. */
  targets?: Targets;
  /** Ends the iteration with an AbortError. */
  signal?: AbortSignal;
}

export interface LogsOptions {
  /** Default: all apps, including future ones. */
  targets?: Targets;
  /** How many lines there are of each file before the new ones. Default: 15; with `since`, all. */
  lines?: number;
  /** Only lines since then: a duration such as "10m", or a time, also as text such as "2026-11-21T18:00". */
  since?: string | Date;
  /** Only one of the two outputs. Default: both. */
  stream?: 'out' | 'err';
  /** Whether to go on with new lines. Default: true. */
  follow?: boolean;
  /** Ends the iteration with an AbortError. */
  signal?: AbortSignal;
}

export interface LoggedLine {
  /** ISO 8601; absent if the log has no times. */
  time?: string;
  /** The id of the process, or of the first one whose output is in the file. */
  id: number;
  app: string;
  /** Null if the instances of an app share the file. */
  slot: number | null;
  stream: 'out' | 'err';
  message: string;
}

/** Subscribes immediately: events before the first `next` are not lost. `break` and `return` unsubscribe. */
export interface Events extends AsyncIterableIterator<EventView> {
  /** Resolves when the subscription is active: all later events are delivered. */
  readonly subscribed: Promise<void>;
}

/**
 * A connection to the daemon. Each method resolves when its effect has happened, and rejects with an NsvError. A
 * pending call or an iteration of events keeps the Node process alive; an idle connection does not.
 */
export interface Nsv {
  ping(): Promise<DaemonView>;
  /** The health of all apps, as probes see it. */
  health(): Promise<HealthView>;
  /** All processes by default. */
  list(targets?: Targets): Promise<ProcessView[]>;
  /** All apps by default. */
  describe(targets?: Targets): Promise<AppView[]>;
  /** Why processes have ended, oldest first: the last 50 records of each app. All apps by default. */
  deaths(targets?: Targets): Promise<DeathView[]>;
  /** All processes by default. */
  logFiles(targets?: Targets): Promise<LogFilesView[]>;
  /**
   * The output of apps, line by line, as `nsv logs --json` prints it: from the first `next` on, a process of its own reads the files. The
   * iteration ends with `follow: false`, `close` and `kill`, not with a daemon that dies. Rejects with NO_SUCH_APP, NO_LOGS, BAD_OPTION.
   */
  logs(options?: LogsOptions): AsyncIterableIterator<LoggedLine>;
  /**
   * Starts a program (a file, a name on the PATH, a command line), a stopped app by its name, or all apps of a config
   * file.
   * @param settings as in a config file
   */
  start(what: string, settings?: AppConfig, options?: StartOptions): Promise<ProcessView[]>;
  /** Starts the apps of a config object. */
  start(config: Config, options?: StartOptions): Promise<ProcessView[]>;
  stop(targets: Targets, options?: CallOptions): Promise<ProcessView[]>;
  restart(targets: Targets, options?: RestartOptions): Promise<ProcessView[]>;
  reload(targets: Targets, options?: ReloadOptions): Promise<ProcessView[]>;
  /** Applies the settings of a config object or file to its apps, and starts those that do not exist. */
  update(config: string | Config, options?: UpdateOptions): Promise<ProcessView[]>;
  delete(targets: Targets, options?: CallOptions): Promise<ProcessView[]>;
  /** @param instances a number, or a change such as "+2" or "-1" */
  scale(targets: Targets, instances: number | string, options?: CallOptions): Promise<ProcessView[]>;
  signal(targets: Targets, signal: Signal): Promise<ProcessView[]>;
  /** Writes to the standard input of apps with `stdin: 'pipe'`. A line must end with "\n". */
  send(targets: Targets, text: string): Promise<ProcessView[]>;
  /**
   * Sends Node processes the message `{ type: 'process:msg', topic, data }`, as PM2 does: they get it with `process.on('message')`.
   * Rejects with NO_CHANNEL, and sends nothing, if one of them cannot receive messages.
   */
  message(targets: Targets, topic: string, data?: unknown): Promise<ProcessView[]>;
  trigger(targets: Targets, action: string, param?: string): Promise<ReplyView[]>;
  /** What `nsv config` shows; all apps by default. @param options.secrets returns secrets too, which are masked otherwise */
  runtimeSettings(targets?: Targets, options?: { secrets?: boolean }): Promise<RuntimeSettingsView[]>;
  /** What `nsv config set` and `unset` do. Rejects with SETTINGS_REJECTED if a process says no; then nothing has changed. */
  changeRuntimeSettings(targets: Targets, change: RuntimeChange): Promise<RuntimeSettingsView[]>;
  /** The queues that processes have opened with `nsv/queue`, each with what one of its processes tells. */
  queues(): Promise<QueueView[]>;
  /** One queue, with some of its tasks. This and the following reject with NO_SUCH_QUEUE, SEVERAL_QUEUES or QUEUE_SILENT. */
  queue(name: string, options?: QueueChoice): Promise<QueueDetailsView>;
  /** Makes a failed task pending again, or all of them. Returns how many. */
  retryTasks(queue: string, id?: string, options?: QueueChoice): Promise<number>;
  /** Lets no process begin another task of the queue, until `resumeQueue`. */
  pauseQueue(queue: string, options?: QueueChoice): Promise<void>;
  resumeQueue(queue: string, options?: QueueChoice): Promise<void>;
  /** Resolves when no task is pending or running; it removes nothing. Rejects with QUEUE_PAUSED if that cannot come. */
  drainQueue(queue: string, options?: QueueChoice & CallOptions): Promise<void>;
  /** Removes a task that does not run. Returns whether there was one. */
  removeTask(queue: string, id: string, options?: QueueChoice): Promise<boolean>;
  reset(targets: Targets): Promise<ProcessView[]>;
  /** All log files by default. */
  rotateLogs(targets?: Targets): Promise<RotatedView[]>;
  /** All log files by default. */
  reopenLogs(targets?: Targets): Promise<RotatedView[]>;
  /** Rejects with NOTHING_TO_SAVE if there are no apps, and the saved list has some. @param options.force empties that list */
  save(options?: { force?: boolean }): Promise<SavedView>;
  resurrect(options?: CallOptions): Promise<ProcessView[]>;
  /** Stops all apps and the daemon; resolves when the daemon has exited. */
  kill(): Promise<{ pid: number; stopped: number }>;
  /** Events of apps. The iteration ends with the daemon; it throws DAEMON_UNREACHABLE if the daemon crashed. */
  events(options?: EventsOptions): Events;
  /** Closes the connection. Pending and later calls reject with CLOSED; iterations of events end. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What can go wrong: docs/errors.md. */
export type ErrorCode =
  | 'BAD_USAGE'
  | 'BAD_OPTION'
  | 'NO_SUCH_APP'
  | 'PART_OF_AN_APP'
  | 'NO_SUCH_SCRIPT'
  | 'NO_PACKAGE_SCRIPT'
  | 'BAD_PACKAGE'
  | 'NO_SUCH_INTERPRETER'
  | 'NO_SUCH_DIRECTORY'
  | 'BAD_CONFIG'
  | 'BAD_APP'
  | 'NO_CONFIG'
  | 'CONFIG_OF_OTHERS'
  | 'CANNOT_STRIP_TYPES'
  | 'CANNOT_RENAME'
  | 'ALREADY_RUNNING'
  | 'NOT_READY'
  | 'RELOAD_FAILED'
  | 'INTERRUPTED'
  | 'HOOK_FAILED'
  | 'CANNOT_SPAWN'
  | 'PACKAGE_GONE'
  | 'CANNOT_LIMIT'
  | 'CANNOT_SET'
  | 'PROGRAM_MISSING'
  | 'PROGRAM_UNEXECUTABLE'
  | 'CANNOT_OPEN_LOG'
  | 'NO_LOGS'
  | 'CANNOT_LISTEN'
  | 'SOCKETS_LOST'
  | 'UNSUPPORTED'
  | 'PM2_ONLY'
  | 'NO_PROCESS'
  | 'NO_INPUT'
  | 'NO_CHANNEL'
  | 'NO_REPLY'
  | 'CANNOT_INSPECT'
  | 'EVALUATION_FAILED'
  | 'CANNOT_READ_SNAPSHOT'
  | 'NO_SUCH_DEATH'
  | 'NO_SUCH_QUEUE'
  | 'SEVERAL_QUEUES'
  | 'QUEUE_SILENT'
  | 'QUEUE_PAUSED'
  | 'NO_SUCH_TASK'
  | 'NO_TERMINAL'
  | 'BAD_SETTINGS'
  | 'SETTINGS_REJECTED'
  | 'SETTINGS_FROM_FILE'
  | 'CANNOT_USE_SETTINGS'
  | 'CANNOT_ROTATE'
  | 'CANNOT_READ_JOURNAL'
  | 'CANNOT_REOPEN'
  | 'CANNOT_IMPORT'
  | 'FILE_EXISTS'
  | 'SAVED_FILE_CORRUPT'
  | 'SAVED_APPS_SET_ASIDE'
  | 'NOTHING_TO_SAVE'
  | 'NOTHING_SAVED'
  | 'NEEDS_ROOT'
  | 'NOT_NSV_FILE'
  | 'CANNOT_SET_UP'
  | 'CANNOT_WRITE'
  | 'NOT_RECORDED'
  | 'DAEMON_NOT_RUNNING'
  | 'DAEMON_UNREACHABLE'
  | 'CLOSED'
  | 'DAEMON_SILENT'
  | 'DAEMON_FAILED'
  | 'HOME_TAKEN'
  | 'NO_INIT_SYSTEM'
  | 'HOME_ON_OTHER_MACHINE'
  | 'CANNOT_UPDATE'
  | 'HANDED_OVER'
  | 'DAEMON_TOO_OLD'
  | 'VERSION_MISMATCH'
  | 'HOME_UNSAFE'
  | 'PROBLEMS_FOUND'
  | 'STATE_UNREADABLE'
  | 'UNREADY'
  | 'CANNOT_PRINT'
  | 'BAD_REQUEST'
  | 'SYSTEM_REFUSED'
  | 'INTERNAL';

export declare class NsvError extends Error {
  readonly name: 'NsvError';
  readonly code: ErrorCode;
  /** What to do. */
  readonly hint: string;
  /** The last lines that the app has printed. */
  readonly output?: string[];
  /** What the message has no room for. */
  readonly details?: string[];
  /** Of the command that meets it. */
  readonly exitCode: number;
}

/** The name of a signal, such as SIGUSR2. */
export type Signal = `SIG${string}`;

export type Status = 'stopped' | 'starting' | 'online' | 'stopping' | 'waiting restart' | 'held' | 'errored';

/**
 * How a process ended. Exactly one of the two is set: a SIGKILL is never "exit 0". Both are null if the parent was a
 * daemon that has died, because the system reports the exit only to the parent.
 */
export interface Exit {
  code: number | null;
  signal: Signal | null;
}

/** What can have a problem, as long as it lasts. `reload`: the last one failed, so the old process runs on. */
export type ProblemKind =
  | 'reload'
  | 'package'
  | 'interpreter'
  | 'ready'
  | 'watch'
  | 'log'
  | 'log file'
  | 'pid file'
  | 'settings'
  | 'on-death'
  | 'on-giveup'
  | 'post_stop';

export interface ProblemView {
  about: ProblemKind;
  /** The cause in one line. */
  detail: string;
  /** Milliseconds since it began. */
  ago: number;
}

/** Log files of one instance. */
export interface LogFilesView {
  id: number;
  name: string;
  /** Number of the instance within its app, from 0. */
  slot: number;
  /** Null if `nsv run` passes the output on. */
  outFile: string | null;
  errorFile: string | null;
  /** The file to which the lines of both are copied: `--log` beside `--output` or `--error`. Absent if there is none. */
  logFile?: string;
  /** What is wrong with the log files of its app, in the answer to `logs`. Absent if nothing is. */
  problems?: ProblemView[];
  /** For an app of another user: the files that this user could replace by links, so only that user should open them. */
  owner?: { uid: string | undefined; gid: string | undefined; files: string[] };
}

/** One instance. */
export interface ProcessView extends LogFilesView {
  namespace: string;
  instances: number;
  /** How sockets are shared, or `fork` for programs other than Node. */
  mode: 'kernel' | 'rr' | 'sticky' | 'fork';
  pid: number | null;
  status: Status;
  /** Whether the process finished successfully by itself and is not to be restarted. */
  completed: boolean;
  /** Set if it ended by itself, well or not, and its restart policy leaves it at that. */
  finished?: true;
  /** Set if it is stopped, and its cron pattern starts it. */
  scheduled?: true;
  /** Start time of the current process in milliseconds since 1970; null if none is running. */
  since: number | null;
  /** Milliseconds since the start of the current process, by a monotonic clock. */
  uptime: number | null;
  /** Restarts that no user requested, since start or `reset`. */
  restarts: number;
  /** Restarts for which there was nothing wrong: by a command, a schedule or a changed file, since start or `reset`. */
  planned: number;
  /** Exits by itself within the minimum uptime, in a row. 0 once nsv has given up. */
  earlyExits: number;
  /** Percent of one core since the last sample, descendants included; null if unknown. */
  cpu: number | null;
  /** Bytes of resident memory, descendants included; null if unknown. */
  memory: number | null;
  /** Addresses the process listens on through nsv: `3000`, `127.0.0.1:3000`, `/run/app.sock`, `udp:5353`. */
  ports: string[];
  /**
   * `http://localhost:3000`: where a browser on this machine finds its web servers, as far as Node has opened them. Absent if there are
   * none.
   */
  urls?: string[];
  /** The queues that it has opened (`nsv/queue`). Absent if there are none. */
  queues?: string[];
  /** Requests pending in processes of this slot when the kill timeout ended them, since start or `reset`. */
  cutShort: number;
  /** For `held`: the apps that this one depends on and that are not ready. It starts as soon as they are. */
  waitsFor?: string[];
  /** How the last process of this slot ended. */
  lastExit: Exit | null;
  /** Set for a process that is `online` only because it stays up, without a word or a port. */
  silent?: true;
  /** Why a process that is `online` is not ready: what its app says with `notReady()`, or its ready probe. Absent if it is. */
  unready?: string;
  /** The last death that was not planned since the app was started by a command; null if there was none. */
  lastDeath: DeathSummary | null;
  /** Set while its memory keeps growing: bytes per hour, and the milliseconds until its limit; null without one. */
  leak?: { perHour: number; left: number | null };
  /** Why nsv has given up: `errored`, or `stopping` until pending work is done. */
  reason: string | null;
  /** What is wrong although it may run: its last reload failed, or its app has a problem. Absent if nothing is. */
  problems?: ProblemView[];
}

/** The result of `inspect`. */
export interface InspectedView {
  pid: number;
  /** False if the process did not take up the question within the given time. */
  answered: boolean;
  /** Clock ticks since boot; null without /proc. */
  startTime: number | null;
  /** Whether SIGUSR1 has Node open its inspector, and the app does not want the signal for itself. */
  attachable: boolean;
}

/** The result of `nsv logs rotate` for one log file. */
export interface RotatedView {
  file: string;
  /** The file that now has the content; null if the log was empty. */
  to: string | null;
  bytes: number;
  /** Milliseconds for which the programs that write to it were paused. */
  stopped: number;
  /** Bytes at its beginning that are gone, because the log was longer than what may be kept. */
  dropped?: number;
}

/** An app with its settings. */
export interface AppView {
  spec: AppSpec;
  /** Milliseconds since 1970. */
  createdAt: number;
  /** Sockets that the daemon holds for the group. */
  sockets: string[];
  /** What all of its processes share: its files, its commands, its settings. */
  problems: ProblemView[];
  /** The processes that have metrics of their own (`nsv/app`), also those that have left their slot. Absent if none has. */
  withMetrics?: { id: number; pid: number }[];
  /** What those that have ended had counted. Absent if nothing. */
  endedMetrics?: MetricSnapshot[];
  processes: ProcessView[];
}

export interface AppMessage {
  type: string;
  data?: unknown;
}

/** A process's reply to an action. */
export interface ReplyView {
  id: number;
  name: string;
  slot: number;
  reply: unknown;
}

export interface DaemonView {
  pid: number;
  version: string;
  protocol: number;
  node: string;
  home: string;
  /** Milliseconds. */
  uptime: number;
}

/** A daemon before or after an update. */
export interface DaemonParty {
  pid: number;
  version: string;
  /** The Node version, as in `process.version`. */
  node: string;
  /** The path of the Node executable. */
  program: string;
}

export interface UpgradeView {
  before: DaemonParty;
  after: DaemonParty;
}

/** How all apps are, as probes of a container or a load balancer see it. */
export interface HealthView {
  /** `degraded`: ready, but an app has fewer ready instances than wanted. */
  status: 'ready' | 'degraded' | 'unready' | 'stopping';
  /** False if nsv has given up for good on what the container is for. */
  live: boolean;
  /** Whether everything has been ready once. */
  started: boolean;
  apps: AppHealthView[];
}

export interface AppHealthView {
  name: string;
  /** The number of instances that should run. */
  wanted: number;
  /** The number of instances that are ready. */
  ready: number;
  status: Status | 'not ready' | 'completed' | 'ended' | 'degraded';
  /** Restarts of all instances that nobody asked for. */
  restarts: number;
  /** Why nsv gave up on an instance; null if it gave up on none. */
  giveup: string | null;
  /** What is wrong although it may run: `reload failed 3s ago`. Absent if nothing is. */
  problems?: string[];
}

export interface SavedView {
  file: string;
  apps: number;
  /** Whether every change is saved from now on. */
  auto: boolean;
}

/** What became of the slot. `replaced`: another process had it already. */
export type DeathSequel = 'restarted' | 'replaced' | 'gave up' | 'stopped';

/** What a list says about the last death of a slot. */
export interface DeathSummary {
  cause: DeathCause;
  /** The headline of its error, or else the evidence or the exit. */
  about: string;
  /** How often it has died of that in a row. */
  times: number;
  /** The first and the last time, in milliseconds since 1970. */
  at: number;
  lastAt: number;
}

/** The record of a death, or of several in a row that had the same cause. */
export interface DeathView {
  /** Counts up within an app: `nsv deaths web 3`. */
  number: number;
  app: string;
  id: number;
  slot: number;
  pid: number;
  /** Milliseconds since 1970. */
  at: number;
  /**
   * How often it has happened in a row, and the slots in which it has: `lastAt` and `next` are of the last time, the other
   * fields of the first.
   */
  times: number;
  slots: number[];
  /** Milliseconds since 1970. */
  lastAt: number;
  /** Milliseconds. */
  uptime: number;
  cause: DeathCause;
  /** False if the cause is only probable: another process may have been meant. */
  certain: boolean;
  /** Who asked for it: a command such as `stop`, or `watch`, `cron`, `the app`; null if the cause says it all. */
  by: string | null;
  /** The evidence in one line: what was measured, and the limit. */
  detail: string | null;
  exit: Exit;
  /** Whether it was killed because it had not exited in time, whatever the cause. */
  overdue: boolean;
  /** The error that it has printed, with its stack: positions in the files that run, innermost call first. */
  error: { headline: string; frames: DeathFrame[] } | null;
  /** Where it was, if its event loop was blocked. */
  stack: DeathFrame[] | null;
  /** The last lines of its error log or, if it has printed no errors, of its output. */
  output: string[];
  /** The last measurement, if there was any: `at` in milliseconds since 1970, `memory` in bytes, `cpu` in percent. */
  usage: { at: number; memory: number; cpu: number } | null;
  /** Requests that were in flight when it was killed. */
  cutShort: number;
  next: DeathSequel;
}

/** Bytes; each absent for output that goes to no file. */
export interface LogsAt {
  out?: number | undefined;
  err?: number | undefined;
}

/** An event. `id`, `slot` and `pid` are absent if it concerns the app as a whole. */
export interface EventView {
  type:
    | 'start'
    | 'online'
    | 'ready-timeout'
    | 'not-ready'
    | 'ready-again'
    | 'not-alive'
    | 'exit'
    | 'restart'
    | 'request-limit'
    | 'blocked'
    | 'leak'
    | 'not-exiting'
    | 'kill-timeout'
    | 'requests-cut'
    | 'channel-closed'
    | 'spawn-failed'
    | 'giveup'
    | 'held'
    | 'dependency'
    | 'reload'
    | 'scale'
    | 'delete'
    | 'message'
    | 'rotate'
    | 'delete-logs'
    | 'problem'
    | 'solved'
    | 'reload-failed'
    | 'warning'
    | 'command'
    | 'command-failed'
    | 'replace'
    | 'not-replaced'
    | 'leaving'
    | 'daemon'
    | 'settings-changed';
  /** Milliseconds since 1970. */
  at: number;
  /** Absent for events of the daemon, of several apps, and of a log file, which several apps may share. */
  app?: string;
  /** The apps, if there are several: for `command` and `command-failed`, and for `problem` and `solved` of a log that they share. */
  apps?: string[];
  id?: number;
  slot?: number;
  pid?: number;
  /** For `start`: the bytes that its log files had. */
  logsAt?: LogsAt;
  /** For `exit`. */
  exit?: Exit;
  /** For `exit`: what has ended it, in a word. */
  cause?: DeathCause;
  /** For `exit`: whether it was requested. */
  asked?: boolean;
  /** For `restart`: milliseconds until the restart. */
  delay?: number;
  /** For `held`: the apps that it waits for. */
  waitsFor?: string[];
  /** For `dependency`: an app that this one depends on, and whether it is ready. */
  on?: string;
  ready?: boolean;
  /** For `giveup`, `restart`, `blocked`, `spawn-failed`, `channel-closed`, `replace`, `reload-failed`, `leaving`, `not-ready` and `not-alive`. */
  reason?: string;
  /** For `request-limit` and `requests-cut`: the number of requests. */
  requests?: number;
  /** For `leak`: by how many bytes an hour the memory grows, and the milliseconds until it reaches its limit; null without one. */
  perHour?: number;
  left?: number | null;
  /** For `scale`: the number of instances from now on. */
  instances?: number;
  /** For `settings-changed`: the version of the runtime settings, and the keys whose values have changed. */
  version?: number;
  keys?: string[];
  /** For `rotate`: the log file, and what it was renamed to. For `problem` and `solved`: the file, if one of several has the problem. */
  file?: string;
  to?: string;
  /** For `rotate`: bytes at the beginning of the log that are gone, because it was longer than what may be kept. */
  dropped?: number;
  /** For `delete-logs`. */
  files?: string[];
  /** For `moved`, `not-exiting`, `kill-timeout`, `problem`, `reload-failed`, `warning`, `command-failed` and `daemon`. */
  detail?: string;
  /** For `problem` and `solved`: what has the problem. */
  about?: ProblemKind;
  /** For `message`: what the app sent with `process.send({ type, data })`. */
  message?: AppMessage;
  /** For `command` and `command-failed`: what the daemon was asked to do, such as `restart`. */
  method?: string;
  /** For `command`: who asked. */
  by?: CallerView;
  /** In the journal, for events that stand for several of the same kind: how many, and when the first one was. */
  count?: number;
  since?: number;
}

/** Who gave a command, as the client told: nobody checks it. Each field is absent if unknown. */
export interface CallerView {
  /** The name of the user who has logged in: that of the shell above `sudo`. */
  user?: string;
  uid?: number;
  /** Such as `/dev/pts/3`. */
  terminal?: string;
  /** The address that the user has logged in from by ssh. */
  host?: string;
  pid?: number;
  /** The command line, without values that may be secret, or the program that uses the API. */
  command?: string;
  /** The signal to the daemon that was the command. */
  signal?: string;
}

/** The end of the journal of events: all earlier events are before it, and later ones behind. */
export interface JournalEnd {
  /** The number of the file (st_ino), which may be rotated meanwhile; 0 if there is none. */
  file: number;
  bytes: number;
}

/** Runtime settings by key. Every value is what JSON can hold. */
export type RuntimeValues = Readonly<Record<string, unknown>>;

/** Where the runtime settings of an app come from, and who has them. */
export interface RuntimeSettingsView {
  name: string;
  /** Counts the changes; 0 if there was none. */
  version: number;
  /** Values that look like secrets are masked, unless the caller asks for them. */
  values: RuntimeValues;
  /** The file that is watched for changes; null if there is none. */
  file: string | null;
  /** Why the content of the file is not in force; null if it is. */
  problem: string | null;
  /** The running processes. */
  processes: RuntimeHolder[];
}

export interface RuntimeHolder {
  id: number;
  /** Number of the instance within its app, from 0. */
  slot: number;
  pid: number;
  /** The version that the process has last confirmed; null if none. */
  version: number | null;
}

/** What a change does, all of it or nothing. With a `file`, the values are those of the file; null keeps the values. */
export interface RuntimeChange {
  set?: RuntimeValues;
  unset?: readonly string[];
  file?: string | null;
}

/**
 * A metric of a process, or of an app, merged from its processes. Prometheus can show all of it: a counter as `<name>_total`, and a
 * histogram with cumulated buckets.
 */
export interface MetricSnapshot {
  name: string;
  type: 'counter' | 'gauge' | 'histogram';
  help: string;
  /** `seconds`, `bytes` and the like; empty if there is none. */
  unit: string;
  /** How the values of a gauge become one for all instances. */
  merge?: 'sum' | 'max' | 'min';
  /** The upper bounds of the buckets of a histogram; a last bucket has no bound. */
  bounds?: number[];
  series: SeriesSnapshot[];
}

/** The values for one combination of labels. */
export interface SeriesSnapshot {
  labels: Record<string, string>;
  /** Of a histogram: the sum of all values. */
  value: number;
  /** How many values fell into each bucket of a histogram, not cumulated. */
  counts?: number[];
}

/** A queue, as the daemon knows it. */
export interface OpenedQueueView {
  name: string;
  /** Where its tasks are, as its store says. Two queues of one name that are kept in different places are different queues. */
  place: string;
  /** The running processes that have opened it. */
  processes: QueueMemberView[];
}

export interface QueueMemberView {
  app: string;
  id: number;
  /** Number of the instance within its app, from 0. */
  slot: number;
  pid: number;
  /** Whether it works on the tasks, and does not only add some. */
  works: boolean;
}

/** A queue with what one of its processes tells. */
export interface QueueView extends OpenedQueueView {
  /** Null if no process has told. */
  counts: QueueCountsView | null;
  /** How many tasks were completed in the last minute; null if the store does not say. */
  perMinute: number | null;
  /** Why there are no counts. */
  problem?: string;
}

export interface QueueCountsView {
  pending: number;
  running: number;
  completed: number;
  failed: number;
  paused: boolean;
}

/** A queue with some of its tasks: those that run and those that have failed, the last ones first, and the next ones. */
export interface QueueDetailsView extends QueueView {
  running: QueueTaskView[];
  failed: QueueTaskView[];
  pending: QueueTaskView[];
}

/** A task without its data and its result. Texts are cut off after 200 characters. Times are in milliseconds since 1970. */
export interface QueueTaskView {
  id: string;
  attempts: number;
  /** Of a pending task: when it may begin. */
  dueAt?: number;
  /** Of a running task. */
  startedAt?: number;
  finishedAt?: number;
  /** `host:pid` of the process that works on it. */
  worker?: string;
  /** That process, if it belongs to an app of this daemon. */
  process?: { app: string; slot: number };
  /** JSON: what its handler has reported last. */
  progress?: string;
  /** The first line of its last error. */
  error?: string;
}

/** What ended a process: docs/deaths.md. */
export type DeathCause =
  | 'exit'
  | 'uncaught error'
  | 'listen failed'
  | 'signal'
  | 'kill timeout'
  | 'V8 out of memory'
  | 'kernel OOM kill'
  | 'blocked loop'
  | 'watchdog timer'
  | 'probe'
  | 'memory limit'
  | 'age'
  | 'requests'
  | 'asked'
  | 'unknown';

/** A call of a stack. */
export interface DeathFrame {
  /** Empty for an anonymous function. */
  function: string;
  /** A path, a URL, or a name such as `node:net`. */
  file: string;
  /** From 1 on; null if unknown. */
  line: number | null;
  column: number | null;
}

/** The settings of an app as they are in force: docs/config.md. */
export interface AppSpec {
  name: string;
  namespace: string;
  script: string;
  args: string[];
  interpreter: string | undefined;
  interpreterArgs: string[];
  node: boolean;
  instances: number;
  execMode: "fork" | "cluster";
  cwd: string;
  env: Record<string, string>;
  binPath: string[];
  filterEnv: string[];
  stdin: "none" | "pipe";
  killTimeout: number;
  keepOrphans: boolean;
  stopSignal: StopSignal;
  shutdownWithMessage: boolean;
  drainOnCrash: boolean;
  autorestart: boolean;
  maxRestarts: number;
  restartWindow: number;
  restartDelay: number;
  expBackoffRestartDelay: number;
  minUptime: number | undefined;
  retryAfter: number;
  stopExitCodes: number[];
  waitReady: boolean;
  listenSuffices: boolean;
  listenTimeout: number;
  listen: ListenAddress[];
  listenEach: number | undefined;
  schedule: "kernel" | "rr" | "sticky";
  watch: string[];
  ignoreWatch: string[];
  watchDelay: number;
  cronRestart: string | undefined;
  onGiveup: string | undefined;
  onDeath: string | undefined;
  configFile: string | undefined;
  configEnv: string | undefined;
  fileEnv: Record<string, string>;
  instanceVar: string;
  incrementVar: string | undefined;
  dependsOn: string[];
  preStart: string | undefined;
  postStop: string | undefined;
  uid: string | undefined;
  gid: string | undefined;
  groups: string[];
  passEnv: string[];
  umask: string;
  outFile: string | undefined;
  errorFile: string | undefined;
  logFile: string | undefined;
  pidFile: string | undefined;
  mergeLogs: boolean;
  time: boolean;
  logDateFormat: string | undefined;
  logPrefix: boolean;
  logType: "text" | "json";
  logMergeJson: boolean;
  logMaxSize: number;
  logKeep: number;
  logRotate: string;
  logTotal: number;
  logCompress: boolean;
  maxMemoryRestart: SizeOrShare | `heap:${number}%` | undefined;
  detectLeaks: number | undefined;
  maxRequests: number;
  maxAge: number;
  cpu: number | undefined;
  memory: number | undefined;
  pids: number | undefined;
  nice: number | undefined;
  ulimit: string[];
  oomScoreAdj: number | undefined;
  readyProbe: Probe | undefined;
  liveProbe: Probe | undefined;
  watchdog: number;
}

// Which signal asks an app to stop. Pure.

/** `auto`: SIGTERM, or SIGINT if the program handles that one alone. */
export type StopSignal = Signal | 'auto';

/** Bytes, or a percentage of a total that may change: "80%". */
export type SizeOrShare = number | `${number}%`;

/** Where to listen: a port, `host:port`, `[v6]:port`, or an absolute path. */
export interface ListenAddress {
  host?: string;
  port?: number;
  path?: string;
}

/** Durations in milliseconds. */
export interface ProbeRules {
  /** From the beginning of one probe to that of the next. */
  interval: number;
  timeout: number;
  /** Failures in a row after which the process counts as failing. */
  failures: number;
  /** Successes in a row after which it counts as good again. */
  successes: number;
  initialDelay: number;
}

/** Has exactly one of `http`, `tcp` and `exec`. */
export interface Probe extends ProbeRules {
  /** `http://:3000/health`, `https://...`, or `http://unix:/run/app.sock:/health`. */
  http?: string;
  /** `:3000`, `127.0.0.1:3000`, or the path of a Unix socket. */
  tcp?: string;
  /** A shell command. */
  exec?: string;
}
