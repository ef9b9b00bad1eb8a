// The facts about a home, its daemon and its apps: the other files of this folder collect them, checks.ts judges them.
import type { AppSpec } from '../config/app-spec.ts';
import type { DaemonView, ProblemView, ProcessView } from '../ipc/views.ts';

export interface Facts {
  /** Milliseconds since 1970. */
  now: number;
  here: { version: string; build: string; node: string };
  home: HomeFacts;
  disks: DiskFacts[];
  daemon: DaemonFacts;
  former: FormerDaemon[];
  state: StateFacts;
  saved: SavedFacts;
  apps: AppFacts[];
  strays: StrayFacts[];
}

/** A daemon whose home lay at this path, and was deleted or renamed since. */
export interface FormerDaemon {
  pid: number;
  renamedTo?: string;
}

export interface HomeFacts {
  path: string;
  isThere: boolean;
  /** Why nsv refuses to use it. */
  unsafe?: { detail: string; hint: string };
  /** Permission bits. */
  mode: number;
  /** The system's reason why it cannot be written. */
  unwritable?: string | undefined;
  /** Bytes by which the socket path exceeds the system's limit. */
  tooLong?: number | undefined;
}

export interface DiskFacts {
  /** The directory that was checked. */
  path: string;
  freeBytes: number;
  /** The share of the space available to ordinary users, 0 to 1. */
  freeShare: number;
  /** Files that can still be created; undefined if the file system does not count them. */
  freeFiles?: number | undefined;
}

export type DaemonAnswer =
  | { kind: 'well'; view: DaemonView; build: string }
  /** No socket, or no process listens on it. */
  | { kind: 'nobody' }
  | { kind: 'silent'; seconds: number }
  | { kind: 'failed'; detail: string; hint: string };

export interface DaemonFacts {
  answer: DaemonAnswer;
  /** From its pid file, verified by the start time. */
  pid?: number;
  /** Where the package is, if the daemon runs from that instead of a copy. */
  package?: string;
  /** Whether it is stopped, by SIGSTOP or a debugger. */
  isStopped: boolean;
  /** The pid in the pid file, if that process is gone. */
  diedAs?: number;
  /** Absent for a daemon that was started without a guard. */
  guard?: 'there' | 'gone' | undefined;
  descriptors?: { used: number; limit: number } | undefined;
  log: LogFacts;
  /** The last line of output of a failed launch. */
  launch?: string | undefined;
}

export interface LogFacts {
  /** Times of daemon deaths that the guard handled, milliseconds since 1970. */
  deaths: number[];
  /** The guard's message when it gave up, unless a daemon has started since. */
  gaveUp?: string | undefined;
  /** What the running daemon has met and gone on, the newest last. */
  warnings: { at: number; text: string }[];
  /** Whether the running daemon found that the system had been rebooted. */
  isNewBoot: boolean;
  /** The last error message of the last daemon that crashed. */
  lastError?: string | undefined;
}

export interface FileFacts {
  file: string;
  /** Milliseconds since 1970. */
  at: number;
}

export interface StateFacts {
  broken: { file: string; why: string }[];
  quarantined: FileFacts[];
  /** Records of single apps. */
  appsAside: FileFacts[];
  /** Apps that ran before a reboot, if no daemon has started since. */
  notResurrected: string[];
}

export interface SavedEntry {
  name: string;
  active: boolean;
  /** Why the next boot could not start it. */
  unrunnable?: string | undefined;
}

export interface SavedFacts {
  /** Undefined if there is no such file or it is unreadable. */
  apps?: SavedEntry[];
  broken?: string;
  quarantined: FileFacts[];
  /** Entries of single apps. */
  appsAside: FileFacts[];
}

export interface LogFileFacts {
  file: string;
  size: number;
  unwritable?: string | undefined;
}

export interface AppFacts {
  spec: AppSpec;
  /** Empty if no daemon reports on it. */
  processes: ProcessView[];
  /** Sockets that the daemon holds open. */
  sockets: string[];
  problems: ProblemView[];
  logs: LogFileFacts[];
  /** Why it could not be started again. */
  unrunnable?: string | undefined;
  /** Pids of processes that are stopped. */
  stopped: number[];
}

export interface StrayFacts {
  pid: number;
  app: string;
  command: string;
}
