// What `connect` gives. Nothing here but types: api/index.d.cts is made of this text (`npm run docs`).
import type { AppConfig, Config } from '../../config/index.cjs';
import type {
  AppView,
  DaemonView,
  EventView,
  LogFilesView,
  ProcessView,
  ReplyView,
  RotatedView,
  SavedView,
} from '../ipc/views.ts';

export interface ConnectOptions {
  /** Default: `$NSV_HOME`, or `~/.nsv`. */
  home?: string;
  /** Whether `connect`, `start` and `resurrect` launch the daemon when none runs. Default: true. */
  launch?: boolean;
  /** What paths are relative to. Default: the working directory at the time of `connect`. */
  cwd?: string;
  /** The environment of the apps that are started. Default: `process.env` at the time of `connect`. */
  env?: Readonly<Record<string, string | undefined>>;
}

/** A name, an id, a namespace, `all` or `/regex/`, or several of these. An empty list is refused: it is seldom meant. */
export type Targets = string | number | readonly (string | number)[];

export interface CallOptions {
  /** Told what the call waits for, each time that this changes. */
  onProgress?: (text: string) => void;
}

export interface RestartOptions extends CallOptions {
  /** Whether the app gets the environment of this connection in the place of its own. Default: false. */
  updateEnv?: boolean;
}

export interface StartOptions extends RestartOptions {
  /** Whether to wait until the app is ready. Default: true. */
  wait?: boolean;
  /** Whether to replace a running app of the same name, and to restart one that is given by its name. Default: false. */
  force?: boolean;
}

export interface ReloadOptions extends RestartOptions {
  /** How many instances are replaced at the same time. Default: 1. */
  parallel?: number;
  /** Another file for one app to run from now on. */
  script?: string;
  /** Another directory for one app to run in from now on. */
  cwd?: string;
}

export interface UpdateOptions extends RestartOptions {
  /** Default: `reload`. */
  how?: 'reload' | 'restart';
  /** How many instances a reload replaces at the same time. Default: 1. */
  parallel?: number;
}

export interface EventsOptions {
  /** Default: all apps, those to come too. */
  targets?: Targets;
  /** Ends the iteration with an AbortError. */
  signal?: AbortSignal;
}

/** Subscribed at once: what happens before the first `next` is not lost. `break` and `return` unsubscribe. */
export interface Events extends AsyncIterableIterator<EventView> {
  /** Resolves when the daemon has taken the subscription; whoever acts after that misses nothing. */
  readonly subscribed: Promise<void>;
}

/**
 * A connection to the daemon. Each method resolves when its effect has happened, and rejects with an NsvError. One by
 * itself keeps no process alive; a call under way and an iteration of events do.
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
   * Starts a program (a file, a name on the PATH, a command line), an app that is known by that name and stopped, or all
   * apps of a config file.
   * @param settings as in a config file
   */
  start(what: string, settings?: AppConfig, options?: StartOptions): Promise<ProcessView[]>;
  /** Starts what a config file of this content would. */
  start(config: Config, options?: StartOptions): Promise<ProcessView[]>;
  stop(targets: Targets, options?: CallOptions): Promise<ProcessView[]>;
  restart(targets: Targets, options?: RestartOptions): Promise<ProcessView[]>;
  reload(targets: Targets, options?: ReloadOptions): Promise<ProcessView[]>;
  /** Gives the apps of a config (or of the file of that name) these settings, and starts those that are not there. */
  update(config: string | Config, options?: UpdateOptions): Promise<ProcessView[]>;
  delete(targets: Targets, options?: CallOptions): Promise<ProcessView[]>;
  /** @param instances a count, or a change such as "+2" or "-1" */
  scale(targets: Targets, instances: number | string, options?: CallOptions): Promise<ProcessView[]>;
  signal(targets: Targets, signal: NodeJS.Signals): Promise<ProcessView[]>;
  /** Writes to the standard input of apps that have `stdin: 'pipe'`. A line needs its "\n". */
  send(targets: Targets, text: string): Promise<ProcessView[]>;
  trigger(targets: Targets, action: string, param?: string): Promise<ReplyView[]>;
  reset(targets: Targets): Promise<ProcessView[]>;
  /** All log files by default. */
  rotateLogs(targets?: Targets): Promise<RotatedView[]>;
  /** All log files by default. */
  reopenLogs(targets?: Targets): Promise<RotatedView[]>;
  save(): Promise<SavedView>;
  resurrect(options?: CallOptions): Promise<ProcessView[]>;
  /** Stops all apps and the daemon; resolves when it is gone. */
  kill(): Promise<{ pid: number; stopped: number }>;
  /** What happens to apps. Ends with the daemon; throws DAEMON_UNREACHABLE where that has died. */
  events(options?: EventsOptions): Events;
  /** Lets go of the daemon. Calls under way reject with CLOSED, as do later ones; iterations of events end. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
