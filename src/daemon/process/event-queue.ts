// Handles events one after another: what follows from one may cause the next at once, but is complete before that begins.

export class EventQueue<E> {
  readonly #step: (event: E) => void;
  readonly #events: E[] = [];

  constructor(step: (event: E) => void) {
    this.#step = step;
  }

  /** Handles the event and those that follow from it. Returns false if it has to wait for the one that is being handled. */
  add(event: E): boolean {
    this.#events.push(event);
    if (this.#events.length > 1) return false;
    try {
      for (let event = this.#events[0]; event; event = this.#events[0]) {
        this.#step(event);
        this.#events.shift();
      }
    } finally {
      this.#events.length = 0;
    }
    return true;
  }
}
