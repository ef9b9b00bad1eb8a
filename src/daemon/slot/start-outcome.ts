// Decides when a new process is good, and when to give up waiting for it.
// Pure: readiness.ts and operations.ts act on it.
import type { Exit } from '../../ipc/views.ts';
import { renderDuration } from '../../shared/units.ts';
import { describeExit, endedAtOnce, wentAway } from '../process/lifecycle/restart-policy.ts';
import type { Readiness, State } from '../process/lifecycle/state.ts';

export interface FailedOutcome {
  good: false;
  reason: string;
  /** Whether the process has ended: then its death says more. */
  ended: boolean;
  /** What nsv does next. `finished`: nothing, as the program looks like a job. */
  sequel: 'nothing' | 'restarted' | 'finished';
  /** What the user can do about it, if that is known. */
  hint?: string;
}

export type StartOutcome = { good: true } | FailedOutcome;

interface Awaited {
  readiness: Readiness;
  /** Where it listens so far. */
  ports: readonly string[];
}

interface Look {
  state: State;
  lastExit: Exit | null;
  /** Whether its last end was that of a job that is done. */
  hasCompleted: boolean;
  listenTimeout: number;
  /** The time to become ready is over, counted over all attempts. */
  overdue: boolean;
  /** Whether a process has ended since the start. */
  hasEnded: boolean;
  awaited: Awaited;
  /** What its ready probe has against it; null if nothing, or if there is none. */
  unready?: string | null;
  /** Why the program could not be executed; undefined if it was. */
  unexecutable: string | undefined;
}

/** The outcome of a start; undefined while it is open. */
export function startOutcomeOf({
  state,
  lastExit,
  hasCompleted,
  listenTimeout,
  overdue,
  hasEnded,
  awaited,
  unready,
  unexecutable,
}: Look): StartOutcome | undefined {
  if (unexecutable !== undefined) return bad(unexecutable);
  switch (state.kind) {
    case 'online':
      return { good: true };
    case 'starting':
      if (state.late) {
        const hint = awaited.readiness === 'message' && !unready ? { hint: reportHint } : {};
        return { ...bad(lateText(awaited, renderDuration(listenTimeout), unready)), ...hint };
      }
      return overdue && hasEnded ? endedBy(ending(lastExit), 'restarted') : undefined;
    case 'errored':
      return endedBy(state.reason, [endedAtOnce, wentAway].includes(state.reason) ? 'finished' : 'nothing');
    case 'backoff':
    case 'waiting':
      return endedBy(ending(lastExit), 'restarted');
    case 'stopped':
      // A job that needs no restart may finish before it counts as ready.
      return hasCompleted ? { good: true } : endedBy(ending(lastExit), 'nothing');
    default:
      return undefined;
  }
}

const reportHint =
  "call process.send('ready') once it can serve (it gets no connections before), or start it without --wait-ready (wait_ready); a program that is not Node writes a line to the descriptor NSV_NOTIFY_FD";

function lateText({ readiness, ports }: Awaited, limit: string, unready: string | null | undefined): string {
  if (unready) return `not ready within ${limit}: ${unready}`;
  if (readiness === 'listening') return `it did not listen within ${limit}, unlike the process before it`;
  if (readiness !== 'message') return `not ready within ${limit}`;
  const where = ports.length > 0 ? `it listens on ${ports.join(', ')}, but did` : 'it did';
  return `${where} not send "ready" within ${limit}, as --wait-ready requires`;
}

function bad(reason: string): FailedOutcome {
  return { good: false, reason, ended: false, sequel: 'nothing' };
}

export function endedBy(reason: string, sequel: FailedOutcome['sequel']): FailedOutcome {
  return { good: false, reason, ended: true, sequel };
}

function ending(exit: Exit | null): string {
  if (!exit) return 'it was stopped';
  return describeExit(exit);
}
