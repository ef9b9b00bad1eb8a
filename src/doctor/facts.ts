// What is known of a home, its daemon and its apps: collected by the other files of this folder, judged in checks.ts.
import type { AppSpec } from '../config/app-spec.ts';
import type { DaemonView, ProcessView } from '../ipc/views.ts';

export interface Facts {
  /** Milliseconds since 1970. */
  now: number;
  here: { version: string; node: string };
  home: HomeFacts;
  disks: DiskFacts[];
  daemon: DaemonFacts;
  state: StateFacts;
  saved: SavedFacts;
  apps: AppFacts[];
  strays: StrayFacts[];
}

export interface HomeFacts {
  path: string;
  isThere: boolean;
  /** Why nsv does not use it. */
  unsafe?: { detail: string; hint: string };
  /** Permission bits. */
  mode: number;
  /** The system's word for why nothing can be written. */
  unwritable?: string;
  /** Its file system, where that is one of a network. */
  network?: string;
  /** Bytes of a socket's path that the system has no room for. */
  tooLong?: number;
}

export interface DiskFacts {
  /** The directory that was asked about. */
  path: string;
  freeBytes: number;
  /** Of all that ordinary users may have, 0 to 1. */
  freeShare: number;
  /** Files that can still be made; undefined where the file system does not count. */
  freeFiles?: number;
}

export type DaemonAnswer =
  | { kind: 'well'; view: DaemonView }
  /** No socket, or nobody behind it. */
  | { kind: 'nobody' }
  | { kind: 'silent'; seconds: number }
  | { kind: 'failed'; detail: string; hint: string };

export interface DaemonFacts {
  answer: DaemonAnswer;
  /** By its pid file, with the start time to prove it. */
  pid?: number;
  /** It stands still, by SIGSTOP or a debugger. */
  isStopped: boolean;
  /** The pid file names a process that is gone. */
  diedAs?: number;
  /** Absent for a daemon that was started without a guard. */
  guard?: 'there' | 'gone';
  descriptors?: { used: number; limit: number };
  log: LogFacts;
  /** The last line it printed when it could not be launched. */
  launch?: string;
}

export interface LogFacts {
  /** When daemons died that their guard followed up, milliseconds since 1970. */
  deaths: number[];
  /** The guard's last word, unless a daemon has come after it. */
  gaveUp?: string;
  /** The running daemon found that the system was started anew. */
  isNewBoot: boolean;
  /** What the last daemon that fell had to say. */
  fall?: string;
}

export interface FileFacts {
  file: string;
  /** Milliseconds since 1970. */
  at: number;
}

export interface StateFacts {
  broken: { file: string; why: string }[];
  setAside: FileFacts[];
  /** Apps that ran before the system was started anew, while no daemon has come yet. */
  asleep: string[];
}

export interface SavedFacts {
  /** Undefined when there is none, or it cannot be read. */
  apps?: { name: string; active: boolean }[];
  broken?: string;
  setAside: FileFacts[];
}

export interface LogFileFacts {
  file: string;
  size: number;
  unwritable?: string;
}

export interface AppFacts {
  spec: AppSpec;
  /** None where no daemon tells of them. */
  processes: ProcessView[];
  /** Held by the daemon. */
  sockets: string[];
  logTroubles: string[];
  logs: LogFileFacts[];
  /** Why it could not be started again. */
  unrunnable?: string;
  /** Processes that stand still. */
  stopped: number[];
}

export interface StrayFacts {
  pid: number;
  app: string;
  command: string;
}
