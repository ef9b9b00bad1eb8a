// Reports processes that exceed the age limit.
import type { Clock } from '../../shared/clock.ts';
import type { Child } from '../launch/launcher.ts';
import { leastShare, randomisedLimit } from '../process/limit-jitter.ts';

interface Aging {
  child: Child;
  since: number;
}

export interface AgeWatch<P extends Aging> {
  clock: Clock;
  /** Milliseconds. Each process gets its own randomised limit, based on this one. */
  limit: number;
  /** The running processes, with their start times by `clock`. */
  processes(): readonly P[];
  /** Called once for each process. */
  onExceeded(process: P, age: number): void;
}

/** Returns a function that ends the watch. */
export function watchAge<P extends Aging>({ clock, limit, processes, onExceeded }: AgeWatch<P>): () => void {
  /** Each process's own limit; Infinity once the process was reported. */
  const limits = new WeakMap<Child, number>();
  let cancel = nap(limit * leastShare);

  function nap(ms: number): () => void {
    return clock.after(ms, look);
  }

  /** A process that starts after this check is not due before the shortest limit, so the timer may sleep until then. */
  function look(): void {
    const now = clock.now();
    const rests = processes().map((process) => {
      const { child, since } = process;
      const own = limits.get(child) ?? randomisedLimit(limit);
      const rest = since + own - now;
      limits.set(child, rest > 0 ? own : Number.POSITIVE_INFINITY);
      if (rest <= 0) onExceeded(process, now - since);
      return rest > 0 ? rest : Number.POSITIVE_INFINITY;
    });
    cancel = nap(Math.min(limit * leastShare, ...rests));
  }

  return () => cancel();
}
