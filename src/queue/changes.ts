// Tells those who wait in this process that the store may have changed. Looks at nothing while nobody waits.
import type { Store } from '../../queue/index.cjs';
import { now } from '../app/clock.ts';

/** Milliseconds between two looks, in case the store does not tell, or has missed something. */
const pollEvery = { told: 2_000, untold: 500 };
/**
 * At least this many milliseconds between two calls of the listeners: a busy store changes thousands of times a second. Each of them reads
 * something, so that they must look the less often the more they are.
 */
const calmFor = (listeners: number) => 20 + listeners / 5;

export class Changes {
  readonly #store: Store;
  readonly #queue: string;
  readonly #listeners = new Set<() => void>();
  #end: (() => void) | undefined;
  #last = Number.NEGATIVE_INFINITY;
  #later: NodeJS.Timeout | undefined;

  constructor(store: Store, queue: string) {
    this.#store = store;
    this.#queue = queue;
  }

  /** Returns how to stop. The process stays alive meanwhile. */
  listen(listener: () => void): () => void {
    if (this.#listeners.size === 0) this.#end = this.#begin();
    this.#listeners.add(listener);
    return () => {
      if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return;
      this.#end?.();
      clearTimeout(this.#later);
      this.#later = undefined;
    };
  }

  #begin(): () => void {
    const unwatch = this.#store.watch?.(this.#queue, () => this.#changed());
    const timer = setInterval(() => this.#changed(), unwatch ? pollEvery.told : pollEvery.untold);
    return () => {
      clearInterval(timer);
      unwatch?.();
    };
  }

  #changed(): void {
    const wait = this.#last + calmFor(this.#listeners.size) - now();
    if (wait > 0) {
      this.#later ??= setTimeout(() => this.#tell(), wait);
      return;
    }
    this.#tell();
  }

  #tell(): void {
    clearTimeout(this.#later);
    this.#later = undefined;
    this.#last = now();
    for (const listener of [...this.#listeners]) listener();
  }
}
