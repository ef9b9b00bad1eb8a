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

export interface EventsOptions {
  /** Default: all apps, including future ones. */
  targets?: Targets;
  /** Ends the iteration with an AbortError. */
  signal?: AbortSignal;
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
  /** All processes by default. */
  list(targets?: Targets): Promise<ProcessView[]>;
  /** All apps by default. */
  describe(targets?: Targets): Promise<AppView[]>;
  /** All processes by default. */
  logFiles(targets?: Targets): Promise<LogFilesView[]>;
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
  trigger(targets: Targets, action: string, param?: string): Promise<ReplyView[]>;
  reset(targets: Targets): Promise<ProcessView[]>;
  /** All log files by default. */
  rotateLogs(targets?: Targets): Promise<RotatedView[]>;
  /** All log files by default. */
  reopenLogs(targets?: Targets): Promise<RotatedView[]>;
  save(): Promise<SavedView>;
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
  | 'NO_SUCH_SCRIPT'
  | 'NO_SUCH_INTERPRETER'
  | 'NO_SUCH_DIRECTORY'
  | 'BAD_CONFIG'
  | 'BAD_APP'
  | 'NO_CONFIG'
  | 'CANNOT_STRIP_TYPES'
  | 'ALREADY_RUNNING'
  | 'NOT_READY'
  | 'RELOAD_FAILED'
  | 'INTERRUPTED'
  | 'HOOK_FAILED'
  | 'CANNOT_SPAWN'
  | 'PROGRAM_MISSING'
  | 'PROGRAM_UNEXECUTABLE'
  | 'CANNOT_OPEN_LOG'
  | 'NO_LOGS'
  | 'CANNOT_LISTEN'
  | 'SOCKETS_LOST'
  | 'UNSUPPORTED'
  | 'PM2_ONLY'
  | 'NO_INPUT'
  | 'NO_REPLY'
  | 'NO_TERMINAL'
  | 'CANNOT_ROTATE'
  | 'CANNOT_REOPEN'
  | 'CANNOT_IMPORT'
  | 'FILE_EXISTS'
  | 'SAVED_FILE_CORRUPT'
  | 'SAVED_APPS_SET_ASIDE'
  | 'NOTHING_SAVED'
  | 'NEEDS_ROOT'
  | 'FOREIGN_FILE'
  | 'CANNOT_SET_UP'
  | 'CANNOT_WRITE'
  | 'DAEMON_NOT_RUNNING'
  | 'DAEMON_UNREACHABLE'
  | 'CLOSED'
  | 'DAEMON_SILENT'
  | 'DAEMON_FAILED'
  | 'HOME_TAKEN'
  | 'HOME_ELSEWHERE'
  | 'CANNOT_UPDATE'
  | 'HANDED_OVER'
  | 'DAEMON_LACKS'
  | 'VERSION_MISMATCH'
  | 'HOME_UNSAFE'
  | 'UNWELL'
  | 'CANNOT_PRINT'
  | 'BAD_REQUEST'
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

export type Status = 'stopped' | 'starting' | 'online' | 'stopping' | 'waiting restart' | 'errored';

/**
 * How a process ended. Exactly one of the two is set: a SIGKILL is never "exit 0". Both are null if the parent was a
 * daemon that has died, because the system reports the exit only to the parent.
 */
export interface Exit {
  code: number | null;
  signal: Signal | null;
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
  /** For an app of another user: the files that this user could replace by links, so only that user should open them. */
  owner?: { uid: string | undefined; gid: string | undefined; files: string[] };
}

/** One instance. */
export interface ProcessView extends LogFilesView {
  namespace: string;
  instances: number;
  /** How sockets are shared, or `fork` for programs other than Node. */
  mode: 'kernel' | 'reuseport' | 'rr' | 'fork';
  pid: number | null;
  status: Status;
  /** Whether the process finished successfully by itself and is not to be restarted. */
  completed: boolean;
  /** Start time of the current process in milliseconds since 1970; null if none is running. */
  since: number | null;
  /** Milliseconds since the start of the current process, by a monotonic clock. */
  uptime: number | null;
  /** Restarts that no user requested, since start or `reset`. */
  restarts: number;
  /** Percent of one core since the last sample, descendants included; null if unknown. */
  cpu: number | null;
  /** Bytes of resident memory, descendants included; null if unknown. */
  memory: number | null;
  /** Addresses the process listens on through nsv: `3000`, `127.0.0.1:3000`, `/run/app.sock`, `udp:5353`. */
  ports: string[];
  /** Requests pending in processes of this slot when the kill timeout ended them, since start or `reset`. */
  cutShort: number;
  /** How the last process of this slot ended. */
  lastExit: Exit | null;
  /** Why nsv has given up: `errored`, or `stopping` until pending work is done. */
  reason: string | null;
}

/** The result of `nsv logs rotate` for one log file. */
export interface RotatedView {
  file: string;
  /** The file that now has the content; null if the log was empty. */
  to: string | null;
  bytes: number;
  /** Milliseconds for which the programs that write to it were paused. */
  stopped: number;
}

/** An app with its settings. */
export interface AppView {
  spec: AppSpec;
  /** Milliseconds since 1970. */
  createdAt: number;
  /** Sockets that the daemon holds for the group. */
  sockets: string[];
  /** Current problems of its log files. */
  logTroubles: string[];
  processes: ProcessView[];
}

/** An event. `id`, `slot` and `pid` are absent if it concerns the app as a whole. */
export interface EventView {
  type:
    | 'start'
    | 'online'
    | 'late'
    | 'exit'
    | 'restart'
    | 'spent'
    | 'overdue'
    | 'cut short'
    | 'cut off'
    | 'unspawnable'
    | 'giveup'
    | 'reload'
    | 'scale'
    | 'delete'
    | 'message'
    | 'hook failed'
    | 'rotate'
    | 'delete logs'
    | 'log trouble'
    | 'log trouble over';
  /** Milliseconds since 1970. */
  at: number;
  /** Absent for events of a log file, which several apps may share. */
  app?: string;
  id?: number;
  slot?: number;
  pid?: number;
  /** For `exit`. */
  exit?: Exit;
  /** For `exit`: whether it was requested. */
  asked?: boolean;
  /** For `restart`: milliseconds until the restart. */
  delay?: number;
  /** For `giveup`, `unspawnable` and `cut off`. */
  reason?: string;
  /** For `spent` and `cut short`: the number of requests. */
  requests?: number;
  /** For `scale`: the number of instances from now on. */
  instances?: number;
  /** For `rotate` and `log trouble`: the log file, and what it was renamed to. */
  file?: string;
  to?: string;
  /** For `delete logs`. */
  files?: string[];
  /** For `hook failed` and `log trouble`. */
  detail?: string;
  /** For `message`: what the app sent with `process.send({ type, data })`. */
  message?: AppMessage;
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

export interface SavedView {
  file: string;
  apps: number;
  /** Whether every change is saved from now on. */
  auto: boolean;
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
  cwd: string;
  env: Record<string, string>;
  filterEnv: string[];
  stdin: "none" | "pipe";
  killTimeout: number;
  keepOrphans: boolean;
  stopSignal: Signal;
  shutdownWithMessage: boolean;
  drainOnCrash: boolean;
  autorestart: boolean;
  maxRestarts: number;
  restartWindow: number;
  restartDelay: number;
  expBackoffRestartDelay: number;
  minUptime: number;
  retryAfter: number;
  stopExitCodes: number[];
  waitReady: boolean;
  listenTimeout: number;
  maxMemoryRestart: SizeOrShare | undefined;
  maxRequests: number;
  maxAge: number;
  listen: ListenAddress[];
  schedule: "kernel" | "reuseport" | "rr";
  outFile: string | undefined;
  errorFile: string | undefined;
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
  watch: string[];
  ignoreWatch: string[];
  watchDelay: number;
  cronRestart: string | undefined;
  onGiveup: string | undefined;
  configFile: string | undefined;
  fileEnv: Record<string, string>;
  instanceVar: string;
  incrementVar: string | undefined;
  dependsOn: string[];
  preStart: string | undefined;
  postStop: string | undefined;
  uid: string | undefined;
  gid: string | undefined;
  passEnv: string[];
  umask: string;
}

/** Bytes, or a percentage of a total that may change: "80%". */
export type SizeOrShare = number | `${number}%`;

/** Where to listen: a port, `host:port`, `[v6]:port`, or an absolute path. */
export interface ListenAddress {
  host?: string;
  port?: number;
  path?: string;
}
