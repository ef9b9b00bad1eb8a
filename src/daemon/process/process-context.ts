// The app, as one of its processes sees it.
import type { AppSpec } from '../../config/app-spec.ts';
import type { FailureKind } from '../../ipc/worker-messages.ts';
import type { DaemonEvent } from '../events.ts';
import type { LaunchPlan } from '../launch/launcher.ts';
import type { GroupSockets } from '../sockets/group-sockets.ts';
import type { ManagedProcess } from './process.ts';
import type { Readiness, TransitionContext } from './state.ts';

/** Errors that a handler of the app has taken. */
export interface ProcessFailures {
  /** What the processes are to report. */
  readonly wanted: FailureKind[];
  failed(process: ManagedProcess, kind: FailureKind): void;
}

export interface ProcessContext {
  readonly spec: AppSpec;
  /** The settings of this process: those it was started with, or else will be. */
  settingsOf(process: ManagedProcess): AppSpec;
  readonly sockets: GroupSockets;
  readonly failures: ProcessFailures;
  plan(process: ManagedProcess): LaunchPlan;
  /** The current state of the app's restart limit. */
  restartLimitOf(process: ManagedProcess): Pick<TransitionContext, 'recent' | 'holdsSlot' | 'leastDelay'>;
  countAgainstLimit(recent: readonly number[]): void;
  /** Starts another process in the slot of one that finishes its work. */
  startSuccessor(process: ManagedProcess, restart: { delay: number; failures: number }): void;
  /** Calls `process.resume` when everything that a due restart needs is there. */
  prepareRestart(process: ManagedProcess): void;
  /** Calls `process.retry` when the app is ready for another attempt after a giveup. */
  prepareRetry(process: ManagedProcess): void;
  /** Called after each change of state of one of the app's processes. */
  changed(): void;
  emit(event: DaemonEvent): void;
}

/** Everything a decision about the process depends on at this moment. */
export function contextOf(app: ProcessContext, process: ManagedProcess, now: number): TransitionContext {
  const rules = app.settingsOf(process);
  const { name, killTimeout, listenTimeout, retryAfter } = rules;
  const { recent, holdsSlot, leastDelay } = app.restartLimitOf(process);
  const readiness = readinessBy(rules, process);
  return { name, killTimeout, listenTimeout, retryAfter, readiness, rules, now, recent, holdsSlot, leastDelay };
}

function readinessBy({ waitReady }: AppSpec, { expectsToListen }: ManagedProcess): Readiness {
  if (waitReady) return 'message';
  return expectsToListen ? 'listening' : 'any';
}
