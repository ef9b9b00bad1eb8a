// The clock, passed in so that tests can use a fake one.

export interface Clock {
  /** Monotonic milliseconds, for deadlines and windows. Changes of the wall clock do not affect it. */
  now(): number;
  /** Milliseconds since 1970, only for display. */
  wall(): number;
  /** Calls `run` once after `ms`; the returned function cancels. */
  after(ms: number, run: () => void): () => void;
}

export const realClock: Clock = {
  // Not performance.now(): its first use loads ten more modules of Node, which costs each command a millisecond.
  now: () => Number(process.hrtime.bigint()) / 1e6,
  wall: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/**
 * Calls `run` at the next full second. Whoever looks at something every second does it together with all others: to wake an idle process
 * takes longer than to look. The returned function cancels.
 */
export function nextSecond(clock: Clock, run: () => void): () => void {
  return clock.after(1_000 - (clock.now() % 1_000), run);
}

export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => clock.after(ms, resolve));
}
