// Views of apps and processes that the daemon sends to clients.
import type { AppSpec } from '../config/app-spec.ts';

export type Status = 'stopped' | 'starting' | 'online' | 'stopping' | 'waiting restart' | 'errored';

/**
 * How a process ended. Exactly one of the two is set: a SIGKILL is never "exit 0". Both are null if the parent was a
 * daemon that has died, because the system reports the exit only to the parent.
 */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
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
