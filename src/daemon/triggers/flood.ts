// Notices when files change faster than anybody works on them. Whoever can write to a watched directory could otherwise
// keep the daemon busy: libuv reads events until there are none left, without a turn of the event loop in between.
import type { Clock } from '../../shared/clock.ts';

/** Events within `span` milliseconds that are read. A checkout of some thousand files may exceed it, once. */
export const mostEvents = 5_000;
const span = 1_000;
/** Milliseconds for which nothing is watched after a flood, doubled each time that the next flood follows at once. */
const shortestRest = 1_000;
const longestRest = 60_000;

export class Flood {
  readonly #clock: Clock;
  #since = Number.NEGATIVE_INFINITY;
  #count = 0;
  #rest = shortestRest;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts an event; true if it is one too many. */
  exceeds(): boolean {
    const now = this.#clock.now();
    if (now - this.#since > span) {
      this.#since = now;
      this.#count = 0;
    }
    this.#count += 1;
    return this.#count > mostEvents;
  }

  /** Milliseconds to rest now. */
  begin(): number {
    const rest = this.#rest;
    this.#rest = Math.min(rest * 2, longestRest);
    this.#since = Number.NEGATIVE_INFINITY;
    return rest;
  }

  /** The files are quiet again. */
  end(): void {
    this.#rest = shortestRest;
  }
}
