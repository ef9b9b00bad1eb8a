// Time comes in through here, so that a test can turn it by hand.

export interface Clock {
  /** Monotonic milliseconds: for deadlines and windows, unmoved by a changed wall clock. */
  now(): number;
  /** Milliseconds since 1970: only to show to people. */
  wall(): number;
  /** Calls once after `ms`; the returned function cancels. */
  after(ms: number, run: () => void): () => void;
}

export const realClock: Clock = {
  // Not performance.now(): the first use of it loads ten more modules of Node, a millisecond of each command.
  now: () => Number(process.hrtime.bigint()) / 1e6,
  wall: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
