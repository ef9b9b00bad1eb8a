// Notices when files change faster than anybody works on them. Pure, on a given clock.
import type { Clock } from '../../../shared/clock.ts';

/** Events within `span` milliseconds that are read. A checkout of some thousand files may exceed it, once. */
export const mostEvents = 5_000;
const span = 1_000;
/** Milliseconds for which nothing is watched after a flood, doubled each time that the next flood follows soon. */
const shortestRest = 1_000;
const longestRest = 60_000;
const soon = 10_000;

/**
 * Whoever can write to a watched directory could otherwise keep the daemon busy: libuv reads events until there are none left, without
 * a turn of the event loop in between.
 */
export class Flood {
  readonly #clock: Clock;
  #since = Number.NEGATIVE_INFINITY;
  #count = 0;
  #rest = 0;
  /** When the last rest was over. */
  #restedAt = Number.NEGATIVE_INFINITY;

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
    const now = this.#clock.now();
    this.#rest = now - this.#restedAt < soon ? Math.min(this.#rest * 2, longestRest) : shortestRest;
    this.#restedAt = now + this.#rest;
    this.#since = Number.NEGATIVE_INFINITY;
    return this.#rest;
  }
}
