// Views of apps and processes that the daemon sends to clients.
import type { AppSpec } from '../config/app-spec.ts';
import type { MetricSnapshot } from './app/views.ts';
import type { DeathCause, DeathFrame } from './records/deaths.ts';

export type Status = 'stopped' | 'starting' | 'online' | 'stopping' | 'waiting restart' | 'held' | 'errored';

/**
 * How a process ended. Exactly one of the two is set: a SIGKILL is never "exit 0". Both are null if the parent was a
 * daemon that has died, because the system reports the exit only to the parent.
 */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
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
