// The app, as one of its processes sees it.
import type { AppSpec } from '../../config/app-spec.ts';
import type { DaemonEvent } from '../events.ts';
import type { LaunchPlan } from '../launch/launcher.ts';
import type { GroupSockets } from '../sockets/group-sockets.ts';
import type { ManagedProcess } from './process.ts';
import type { TransitionContext } from './state.ts';

export interface ProcessContext {
  readonly spec: AppSpec;
  /** What applies to this process: what it was started with, or else will be. */
  settingsOf(process: ManagedProcess): AppSpec;
  readonly sockets: GroupSockets;
  plan(process: ManagedProcess): LaunchPlan;
  /** What the restart limit of the app says at this moment. */
  restartLimitOf(process: ManagedProcess): Pick<TransitionContext, 'recent' | 'holdsSlot' | 'leastDelay'>;
  countAgainstLimit(recent: readonly number[]): void;
  /** Starts another process in the slot of one that finishes its work. */
  startSuccessor(process: ManagedProcess, restart: { delay: number; failures: number }): void;
  /** Has `process.resume` called when there is all that a process whose restart is due needs. */
  prepareRestart(process: ManagedProcess): void;
  /** Has `process.retry` called when the app is ready for another try after giving up. */
  prepareRetry(process: ManagedProcess): void;
  /** Called after each change of state of one of its processes. */
  changed(): void;
  emit(event: DaemonEvent): void;
}
