// Whether the connections of a socket last.

/** Milliseconds. */
const period = 250;
/** Connections in a period that may have ended already. */
const tolerated = 8;

/** Counts those that are taken, and compares their number with that of the open ones. What lasted for long has no influence. */
export class Lasting {
  #since = Number.NEGATIVE_INFINITY;
  #taken = 0;
  #wereShort = false;

  /** The process has taken a connection. */
  took(): void {
    this.#taken += 1;
  }

  /** `now`: monotonic milliseconds; `open`: the number of open connections. True if it has taken few lately that have ended. */
  areLong(now: number, open: number): boolean {
    const areShort = this.#taken > open + tolerated;
    const age = now - this.#since;
    if (age < period) return !areShort && !this.#wereShort;
    // In a period that began long ago, they may have lasted.
    this.#wereShort = areShort && age < 2 * period;
    this.#since = now;
    this.#taken = 0;
    return !this.#wereShort;
  }
}
