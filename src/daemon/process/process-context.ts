// The app, as one of its processes sees it.
import type { AppSpec } from '../../config/app-spec.ts';
import type { DaemonEvent } from '../events.ts';
import type { LaunchPlan } from '../launch/launcher.ts';
import type { GroupSockets } from '../sockets/group-sockets.ts';
import type { ManagedProcess } from './process.ts';
import type { Death, Verdict } from './restart-policy.ts';

/** What a process needs of its group. */
export interface ProcessContext {
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
