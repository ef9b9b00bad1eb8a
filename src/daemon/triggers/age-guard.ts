// The age limit as an event.
import type { Clock } from '../../shared/clock.ts';
import type { Child } from '../launch/launcher.ts';
import { leastShare, randomisedLimit } from '../process/limit-jitter.ts';

export interface AgeWatch {
  clock: Clock;
  /** Milliseconds; each process draws its own from it. */
  limit: number;
  /** Those that run now, with the time of their start by the clock. */
  processes(): readonly { child: Child; since: number }[];
  /** Called once for each. */
  onExceeded(child: Child, age: number): void;
}

/** Returns what ends the watch. */
export function watchAge({ clock, limit, processes, onExceeded }: AgeWatch): () => void {
  /** Infinity for those that were told. */
  const limits = new WeakMap<Child, number>();
  let cancel = nap(limit * leastShare);

  function nap(ms: number): () => void {
    return clock.after(ms, look);
  }

  /** A process that starts after a look is due no sooner than the shortest limit: until then one may sleep. */
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
