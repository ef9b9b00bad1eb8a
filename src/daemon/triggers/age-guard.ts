// Reports processes that exceed the age limit.
import type { Clock } from '../../shared/clock.ts';
import type { Child } from '../launch/launcher.ts';
import { leastShare, randomisedLimit } from '../process/limit-jitter.ts';

export interface AgeWatch {
  clock: Clock;
  /** Milliseconds. Each process gets its own randomised limit, based on this one. */
  limit: number;
  /** The running processes, with their start times by `clock`. */
  processes(): readonly { child: Child; since: number }[];
  /** Called once for each process. */
  onExceeded(child: Child, age: number): void;
}

/** Returns a function that ends the watch. */
export function watchAge({ clock, limit, processes, onExceeded }: AgeWatch): () => void {
  /** Each process's own limit; Infinity once the process was reported. */
  const limits = new WeakMap<Child, number>();
  let cancel = nap(limit * leastShare);

  function nap(ms: number): () => void {
    return clock.after(ms, look);
  }

  /** A process that starts after this check is not due before the shortest limit, so the timer may sleep until then. */
  function look(): void {
    const now = clock.now();
    const rests = processes().map(({ child, since }) => {
      const own = limits.get(child) ?? randomisedLimit(limit);
      const rest = since + own - now;
      limits.set(child, rest > 0 ? own : Number.POSITIVE_INFINITY);
      if (rest <= 0) onExceeded(child, now - since);
      return rest > 0 ? rest : Number.POSITIVE_INFINITY;
    });
    cancel = nap(Math.min(limit * leastShare, ...rests));
  }

  return () => cancel();
}
