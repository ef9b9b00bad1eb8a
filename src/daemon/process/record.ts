// What a daemon writes down so that the next one can go on from there. Times are those of the monotonic clock, which all
// processes of a boot share, unless they are said to be of the wall clock.
import type { AppSpec } from '../../config/app-spec.ts';
import type { Exit } from '../../ipc/views.ts';
import type { Child } from '../launch/launcher.ts';
import type { State } from './lifecycle.ts';

export interface Snapshot {
  origin: Origin;
  /** The highest number given to a process so far: what carries a higher one was started after this was written. */
  sequence: number;
  /** The highest `pm_id` given so far. */
  lastId: number;
  groups: GroupRecord[];
}

/** Where and by whom a snapshot was written. A text is empty where the system does not say. */
export interface Origin {
  machine: string;
  /** The directory itself, not its path: a copy is another one. */
  home: string;
  /** Another one at each boot. */
  boot: string;
  /** The pid namespace: in another one the same pids mean other processes. */
  pids: string;
  uid: number;
  /** The daemon that wrote it. */
  pid: number;
}

export interface GroupRecord {
  spec: AppSpec;
  /** Wall clock. */
  createdAt: number;
  /** Times of the restarts that count against the limit. */
  recent: number[];
  /** A command that is under way, by what it is to come to. */
  intent: Intent | null;
  processes: ProcessRecord[];
}

export type Intent =
  | { kind: 'remove'; successor?: Successor }
  | { kind: 'scale'; instances: number }
  /** Slots that are to be started, or started again. */
  | { kind: 'start'; slots: number[] }
  | { kind: 'stop'; slots: number[] };

/** The app that is to be there in the place of one of the same name (`nsv start --force`, `nsv apply`). */
export interface Successor {
  spec: AppSpec;
  /** Whether it is to run. */
  active: boolean;
}

/** `holder`: of its slot. `trial`: may take it when it has proven itself. `leaver`: has left it and finishes its work. */
export type Role = 'holder' | 'trial' | 'leaver';

export interface ProcessRecord {
  id: number;
  slot: number;
  role: Role;
  state: State;
  restarts: number;
  cutShort: number;
  lastExit: Exit | null;
  endedAsAsked: boolean;
  /** Wall clock. */
  spawnedAt: number | null;
  expectsToListen: boolean;
  /** What runs; null when nothing does. */
  life: Life | null;
}

export interface Life {
  pid: number;
  /** Clock ticks since boot. */
  startTime: number;
  /** What its environment says of it (mark.ts). */
  mark: string;
  /** Its log files. Absent: those that its settings name. */
  outFile?: string;
  errorFile?: string;
}

/** Null for what cannot be known again: no mark, no start time, or output that goes through the daemon. */
export function lifeOf({ pid, startTime, plan }: Child): Life | null {
  const { mark, outFile, errorFile } = plan;
  if (mark === undefined || startTime === undefined) return null;
  if (typeof outFile !== 'string' || typeof errorFile !== 'string') return null;
  return { pid, startTime, mark, outFile, errorFile };
}
