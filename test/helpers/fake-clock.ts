// A clock that is turned by hand.
import type { Clock } from '../../src/shared/clock.ts';

export class FakeClock implements Clock {
  #now = 0;
  readonly #timers = new Map<number, { at: number; run: () => void }>();
  #next = 0;

  now(): number {
    return this.#now;
  }

  wall(): number {
    return 1_700_000_000_000 + this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const key = this.#next++;
    this.#timers.set(key, { at: this.#now + ms, run });
    return () => this.#timers.delete(key);
  }

  /** All that were ever set. */
  get timers(): number {
    return this.#next;
  }

  /** Timers that have not run and were not cancelled. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Runs what is due, in order, and lets promises settle after each. */
  async passes(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      const [due] = [...this.#timers].filter(([, { at }]) => at <= end).sort(([, a], [, b]) => a.at - b.at);
      if (!due) break;
      const [key, { at, run }] = due;
      this.#timers.delete(key);
      this.#now = at;
      run();
      await settle();
    }
    this.#now = end;
    await settle();
  }
}

/** What is under way, and whether it is over. */
export function watched<T>(promise: Promise<T>): { over: Promise<T>; isOver: boolean } {
  const work = { over: promise, isOver: false };
  work.over = promise.finally(() => {
    work.isOver = true;
  });
  return work;
}

/** Lets every promise that can settle do so. */
export async function settle(turns = 1): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
