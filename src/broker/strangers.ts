// Connections that have not said who they are. Any program of the user can make them.
import type { Clock } from '../shared/clock.ts';

/** Milliseconds until one is closed. */
const timeout = 5_000;
/** All processes of an app connect at the same time after the death of a daemon, and at once say who they are. */
const most = 1_000;

export class Strangers {
  readonly #clock: Clock;
  readonly #waiting = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * `close` is called if the connection takes too long, or is the oldest of too many. The returned function says that it is
   * known, or gone.
   */
  add(close: () => void): () => void {
    const known = () => {
      cancel();
      this.#waiting.delete(end);
    };
    const end = () => {
      known();
      close();
    };
    const cancel = this.#clock.after(timeout, end);
    this.#waiting.add(end);
    const [oldest] = this.#waiting;
    if (this.#waiting.size > most) oldest?.();
    return known;
  }
}
