// What the daemon tells about apps and processes: the shapes on the wire.
import type { AppSpec } from '../config/app-spec.ts';

export type Status = 'stopped' | 'starting' | 'online' | 'stopping' | 'waiting restart' | 'errored';

/**
 * How a process ended. Exactly one of the two is set: a SIGKILL is never "exit 0". Neither is where nobody can know: the
 * system tells only the parent, and that was a daemon which died.
 */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** Where one instance writes. */
export interface LogFilesView {
  id: number;
  name: string;
  /** Number of the instance within its app, from 0. */
  slot: number;
  /** Null where `nsv run` passes the output on. */
  outFile: string | null;
  errorFile: string | null;
}

/** One instance. */
export interface ProcessView extends LogFilesView {
  namespace: string;
  instances: number;
  /** How sockets are shared, or `fork` for programs that are not Node. */
  mode: 'kernel' | 'reuseport' | 'rr' | 'fork';
  pid: number | null;
  status: Status;
  /** Whether it has done what it was there for: ended by itself, well, and is not to be restarted. */
  completed: boolean;
  /** Milliseconds since 1970 at which the current process was started; null when none runs. */
  since: number | null;
  /** Milliseconds for which the current process has run, by a monotonic clock. */
  uptime: number | null;
  /** Restarts that nobody asked for, since start or `reset`. */
  restarts: number;
  /** Percent of one core since the last look, the process and its descendants; null when not known. */
  cpu: number | null;
  /** Bytes of resident memory of the process and its descendants; null when not known. */
  memory: number | null;
  /** Addresses the process listens on through nsv: `3000`, `127.0.0.1:3000`, `/run/app.sock`, `udp:5353`. */
  ports: string[];
  /** Requests under way in processes of this slot that were killed at the kill timeout, since start or `reset`. */
  cutShort: number;
  /** How the last process of this slot ended. */
  lastExit: Exit | null;
  /** Why nsv has given up: `errored`, or `stopping` while it still finishes what it has begun. */
  reason: string | null;
}

/** What `nsv logs rotate` has done with a log file. */
export interface RotatedView {
  file: string;
  /** Where its content is now; null when there was none. */
  to: string | null;
  bytes: number;
  /** Milliseconds for which the programs that write to it stood still. */
  stopped: number;
}

/** An app with its settings. */
export interface AppView {
  spec: AppSpec;
  /** Milliseconds since 1970. */
  createdAt: number;
  /** Sockets that the daemon holds for the group. */
  sockets: string[];
  /** What is wrong with its log files now. */
  logTroubles: string[];
  processes: ProcessView[];
}

/** Something that has happened. `id`, `slot` and `pid` are absent where it has happened to the app as a whole. */
export interface EventView {
  type:
    | 'start'
    | 'online'
    | 'late'
    | 'exit'
    | 'restart'
    | 'spent'
    | 'cut short'
    | 'unspawnable'
    | 'giveup'
    | 'reload'
    | 'delete'
    | 'message'
    | 'hook failed'
    | 'rotate'
    | 'delete logs'
    | 'log trouble'
    | 'log trouble over';
  /** Milliseconds since 1970. */
  at: number;
  /** Absent where it has happened to a log file, which may be that of several. */
  app?: string;
  id?: number;
  slot?: number;
  pid?: number;
  /** Of `exit`. */
  exit?: Exit;
  /** Of `exit`: whether somebody wanted it. */
  asked?: boolean;
  /** Of `restart`: milliseconds until then. */
  delay?: number;
  /** Of `giveup` and `unspawnable`. */
  reason?: string;
  /** Of `spent` and `cut short`: of how many. */
  requests?: number;
  /** Of `rotate`, `log trouble`: the log; and what it is called now. */
  file?: string;
  to?: string;
  /** Of `delete logs`. */
  files?: string[];
  /** Of `hook failed` and `log trouble`. */
  detail?: string;
  /** Of `message`: what the app has said by `process.send({ type, data })`. */
  message?: AppMessage;
}

export interface AppMessage {
  type: string;
  data?: unknown;
}

/** What a process has answered to an action. */
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
  /** As `process.version`. */
  node: string;
  /** The path of that Node. */
  program: string;
}

export interface UpgradeView {
  before: DaemonParty;
  after: DaemonParty;
}

export interface SavedView {
  file: string;
  apps: number;
  /** Each change is saved from now on. */
  auto: boolean;
}
