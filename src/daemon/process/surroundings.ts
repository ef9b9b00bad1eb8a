// What a managed process needs around it: the machine, and the app it is an instance of; and what that app needs.
import type { AppSpec } from '../../config/app-spec.ts';
import type { Reaper } from '../../os/family.ts';
import type { Clock } from '../../shared/clock.ts';
import type { DaemonEvent, Events } from '../events.ts';
import type { Hook, HookEnd } from '../launch/hook.ts';
import type { Launcher, LaunchPlan } from '../launch/launcher.ts';
import type { Streams } from '../output/streams.ts';
import type { GroupSockets } from '../sockets/group-sockets.ts';
import type { Mark } from '../state/mark.ts';
import type { ManagedProcess } from './process.ts';
import type { Death, Verdict } from './restart-policy.ts';

/** What the machine offers: replaced as a whole in tests of the daemon's logic. */
export interface Host extends Reaper {
  clock: Clock;
  launcher: Launcher;
  runHook(hook: Hook, abort?: AbortSignal): Promise<HookEnd>;
  /** Resolves when it is the caller's turn to start a process that somebody asked for. */
  turn(): Promise<void>;
}

/** What a process needs of its group. */
export interface Surroundings {
  readonly spec: AppSpec;
  /** What applies to this process: a new one of a reload is judged by the settings that it is to prove. */
  specOf(process: ManagedProcess): AppSpec;
  readonly sockets: GroupSockets;
  plan(process: ManagedProcess): LaunchPlan;
  /** Judges a death; counts it against the group's restart limit. */
  judge(process: ManagedProcess, death: Death): Verdict;
  /** Judges a process that leaves by itself as if it had ended; by the verdict `again` its successor is started. */
  succeed(process: ManagedProcess, death: Death): Verdict;
  /** Has `process.retry` called when the app is ready for another try after giving up. */
  retry(process: ManagedProcess): void;
  /** Has `process.resume` called when there is all that a process whose restart is due needs. */
  resume(process: ManagedProcess): void;
  /** Called after each change of state. */
  changed(process: ManagedProcess): void;
  emit(event: DaemonEvent): void;
}

export interface GroupMeans {
  host: Host;
  events: Events;
  /** Where the input and output of an instance come from and go to. */
  streams(spec: AppSpec, slot: number): Streams;
  /** The next free `pm_id`. */
  nextId(): number;
  /** Throws UNSUPPORTED when this machine cannot share sockets the way the spec asks. */
  createSockets(spec: AppSpec): GroupSockets;
  /** What a process is to carry in its environment, where there is to be a next daemon that knows it again. */
  mark?(wish: Omit<Mark, 'home' | 'sequence'>): string;
  /** Something has changed that the next daemon is to know. */
  changed?(): void;
  /** Resolves when the next daemon knows it. */
  settled?(): Promise<void>;
}
