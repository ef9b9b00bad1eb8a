// What a daemon records so that the next one can continue. Times are of the monotonic clock, which all processes of a
// boot share, unless they are marked as wall clock.
import type { AppSpec } from '../../config/app-spec.ts';
import type { MetricSnapshot, RuntimeValues } from '../../ipc/app/views.ts';
import type { Exit } from '../../ipc/views.ts';
import type { HandledErrorKind } from '../../ipc/worker-messages.ts';
import type { ProcessIdentity } from '../launch/launcher.ts';
import type { KeeperRecord } from '../sockets/keeper.ts';
import type { LastDeath } from './death/death.ts';
import type { Left, LeftState } from './lifecycle/state.ts';

export interface Snapshot {
  origin: StateOrigin;
  /** The highest number given to a process so far: one with a higher number was started after this was written. */
  sequence: number;
  /** The highest `pm_id` given so far. */
  lastId: number;
  groups: GroupRecord[];
  /** Keeps the sockets of `--listen`. */
  keeper?: KeeperRecord;
}

/** Where, and by which daemon, a snapshot was written. A string is empty if the system does not provide it. */
export interface StateOrigin {
  machine: string;
  /** Identifies the directory itself, not its path: a copy has another identity. */
  home: string;
  /** Differs for each boot. */
  boot: string;
  /** The pid namespace: in another one, the same pids mean other processes. */
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
  /** Errors after which the app was seen to live on, because it has a handler for them. */
  survived?: HandledErrorKind[];
  /** What the command that is under way is about to do. */
  intent: Intent | null;
  processes: ProcessRecord[];
  runtimeSettings?: RuntimeRecord;
  /** What processes that have ended had counted. */
  counted?: MetricSnapshot[];
}

/** What `nsv config` has set. */
export interface RuntimeRecord {
  /** Counts the changes. */
  version: number;
  values: RuntimeValues;
  /** The file that is watched for changes, and that no command may contradict. */
  file?: string;
}

export type Intent =
  | { kind: 'remove'; successor?: Successor }
  | { kind: 'scale'; instances: number }
  /** Slots to start or restart. */
  | { kind: 'start'; slots: number[] }
  | { kind: 'stop'; slots: number[] };

/** The app that takes the place of one of the same name (`nsv start --force`, `nsv apply`). */
export interface Successor {
  spec: AppSpec;
  /** Whether to start it. */
  active: boolean;
  /** Only a command starts it, as a person has stopped it. Absent if that is not so. */
  isLeftAlone?: boolean;
  /** Those of the app that it replaces. */
  runtimeSettings?: RuntimeRecord;
}

/** `holder`: holds its slot. `trial`: takes it if it proves good. `leaver`: has left it and finishes its work. */
export type Role = 'holder' | 'trial' | 'leaver';

export interface ProcessRecord {
  id: number;
  slot: number;
  role: Role;
  state: LeftState;
  restarts: number;
  /** Absent if there were none. */
  planned?: number;
  cutShort: number;
  lastExit: Exit | null;
  endedAsAsked: boolean;
  /** Absent if there was none. */
  lastDeath?: LastDeath;
  /** Wall clock. */
  spawnedAt: number | null;
  expectsToListen: boolean;
  hasListened: boolean | null;
  isSilent: boolean;
  /** Absent if it is not. */
  isLeftAlone?: boolean;
  /** Absent if there was none. */
  failedReload?: FailedReload;
  /** What its ready probe had against it. */
  unready?: string;
  /** The running process; null if there is none. */
  identity: ProcessIdentity | null;
}

/** Why a process that was to be replaced still runs. */
export interface FailedReload {
  at: number;
  detail: string;
}

/** An app of the previous daemon, whose processes are still to be adopted: of them, only the `pm_id`s of the slots matter. */
export interface PastApp extends Omit<GroupRecord, 'processes'> {
  processes: readonly Pick<ProcessRecord, 'id' | 'slot' | 'role'>[];
}

/** What is known of a process that the previous daemon has left. */
export interface LeftRecord extends Omit<ProcessRecord, 'state'> {
  was: Left['was'];
}
