// The one timer of a process: that of its state.
import type { Clock } from '../../shared/clock.ts';
import { deadlineOf, type State } from './state.ts';

export class Deadline {
  readonly #clock: Clock;
  readonly #due: () => void;
  #cancel = () => {};

  constructor(clock: Clock, due: () => void) {
    this.#clock = clock;
    this.#due = due;
  }

  arm(state: State): void {
    this.#cancel();
    const deadline = deadlineOf(state);
    this.#cancel =
      deadline === null ? () => {} : this.#clock.after(Math.max(0, deadline - this.#clock.now()), this.#due);
  }
}
