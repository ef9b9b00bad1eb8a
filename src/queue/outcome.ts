// What becomes of a task after an attempt. Pure.
import type { Outcome } from '../../queue/index.cjs';
import type { Settings } from './options.ts';

/** How the handler's work has ended. */
export type End =
  | { kind: 'returned'; result: string | undefined }
  | { kind: 'failed'; error: string; final?: boolean }
  /** The process ends before the work is done. */
  | { kind: 'cut' };

/** `failures`: of earlier attempts. `chance`: 0 to 1. */
export function outcomeOf(end: End, failures: number, { retries, backoff }: Settings, chance: number): Outcome {
  switch (end.kind) {
    case 'returned':
      return { state: 'completed', result: end.result };
    case 'cut':
      return { state: 'released' };
    case 'failed': {
      const { error } = end;
      if (end.final || failures >= retries) return { state: 'failed', error };
      return { state: 'retry', error, delay: delayAfter(failures, backoff, chance) };
    }
  }
}

/** Doubled with each failure. Up to a fifth less, so that tasks that have failed together do not all come back together. */
function delayAfter(failures: number, { delay, max }: Settings['backoff'], chance: number): number {
  return Math.round(Math.min(delay * 2 ** failures, max) * (1 - chance / 5));
}
