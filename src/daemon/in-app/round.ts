// A message to several processes that each of them replies to, and the time that they have for it.
import type { Clock } from '../../shared/clock.ts';
import type { Child } from '../launch/launcher.ts';

export class Round {
  /** Resolves when all have replied or are gone, or the time is up. */
  readonly over: Promise<void>;
  readonly #awaited: Set<Child>;
  #end = () => {};

  /** `patience`: milliseconds for a process whose event loop is blocked, or that does not understand the message. */
  constructor(children: Iterable<Child>, patience: number, clock: Clock) {
    this.#awaited = new Set(children);
    this.over = new Promise((resolve) => {
      if (this.#awaited.size === 0) return resolve();
      const cancel = clock.after(patience, resolve);
      this.#end = () => {
        cancel();
        resolve();
      };
    });
  }

  /** The process has replied, or will not. False if it was not waited for. */
  settle(child: Child): boolean {
    const wasAwaited = this.#awaited.delete(child);
    if (wasAwaited && this.#awaited.size === 0) this.#end();
    return wasAwaited;
  }
}
