// What a daemon writes down so that the next one can go on from there. Times are those of the monotonic clock, which all
// processes of a boot share, unless they are said to be of the wall clock.
import type { AppSpec } from '../../config/app-spec.ts';
import type { Exit } from '../../ipc/views.ts';
import type { Life } from '../launch/life.ts';
import type { State } from './state.ts';

export interface Snapshot {
  origin: StateOrigin;
  /** The highest number given to a process so far: what carries a higher one was started after this was written. */
  sequence: number;
  /** The highest `pm_id` given so far. */
  lastId: number;
  groups: GroupRecord[];
}

/** Where and by whom a snapshot was written. A text is empty where the system does not say. */
export interface StateOrigin {
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
