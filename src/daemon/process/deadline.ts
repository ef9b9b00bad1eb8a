// A timer that is set again with each state: that of a process, or of a slot.
import type { Clock } from '../../shared/clock.ts';

export class Deadline {
  readonly #clock: Clock;
  readonly #due: () => void;
  #cancel = () => {};

  constructor(clock: Clock, due: () => void) {
    this.#clock = clock;
    this.#due = due;
  }

  /** `at`: monotonic time in milliseconds; null for never. */
  arm(at: number | null): void {
    this.#cancel();
    this.#cancel = at === null ? () => {} : this.#clock.after(Math.max(0, at - this.#clock.now()), this.#due);
  }
}
