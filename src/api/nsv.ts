// The object that `connect` returns. Types only: api/index.d.cts is generated from this text (`npm run docs`).
import type { AppConfig, Config } from '../../config/index.cjs';
import type { QueueDetailsView, QueueView, RuntimeChange, RuntimeSettingsView } from '../ipc/app/views.ts';
import type { EventView } from '../ipc/journal/event-views.ts';
import type {
  AppView,
  DaemonView,
  DeathView,
  HealthView,
  LogFilesView,
  ProcessView,
  ReplyView,
  RotatedView,
  SavedView,
} from '../ipc/views.ts';

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
  signal(targets: Targets, signal: NodeJS.Signals): Promise<ProcessView[]>;
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
