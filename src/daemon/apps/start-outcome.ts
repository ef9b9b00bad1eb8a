// Decides when a new process is good, and when to give up waiting for it.
// Pure: readiness.ts and operations.ts act on it.
import type { Exit } from '../../ipc/views.ts';
import { renderDuration } from '../../shared/units.ts';
import { describeExit } from '../process/restart-policy.ts';
import type { State } from '../process/state.ts';

export type StartOutcome = { good: true } | { good: false; reason: string };

interface Look {
  state: State;
  lastExit: Exit | null;
  listenTimeout: number;
  /** The time to become ready is over, counted over all attempts. */
  overdue: boolean;
  /** What its ready probe has against it; null if nothing, or if there is none. */
  unready?: string | null;
  /** Why the program could not be executed; undefined if it was. */
  unexecutable: string | undefined;
}

/** The outcome of a start; undefined while it is open. */
export function startOutcomeOf({
  state,
  lastExit,
  listenTimeout,
  overdue,
  unready,
  unexecutable,
}: Look): StartOutcome | undefined {
  if (unexecutable !== undefined) return bad(unexecutable);
  switch (state.kind) {
    case 'online':
      return { good: true };
    case 'starting':
      if (state.late) return bad(`not ready within ${renderDuration(listenTimeout)}${unready ? `: ${unready}` : ''}`);
      return overdue && state.failures > 0
        ? bad(`it keeps exiting before it is ready (last: ${ending(lastExit)})`)
        : undefined;
    case 'errored':
      return bad(state.reason);
    case 'backoff':
      return bad(`${ending(lastExit)}; it will be restarted`);
    case 'stopped':
      // A job that needs no restart may finish before it counts as ready.
      return lastExit?.code === 0 ? { good: true } : bad(ending(lastExit));
    default:
      return undefined;
  }
}

function bad(reason: string): StartOutcome {
  return { good: false, reason };
}

function ending(exit: Exit | null): string {
  if (!exit) return 'it was stopped';
  const { code, signal } = exit;
  if (code === null && signal === null) return describeExit(exit);
  return signal === null ? `exited with code ${code}` : `killed by ${signal}`;
}
