// Starts at most one process per turn of the event loop: in between, the daemon handles requests of the first ones and
// answers its clients. Each process has its own session, so Linux gives it the same share of the CPU as the daemon
// (sched(7), "The autogroup feature"): three hundred that boot at the same time would silence the daemon for ten
// seconds. With turns, the processes that are booting slow down the start of more.

/** Returns a function that gives each caller its own turn of the event loop, in order. */
export function createStartThrottle(): () => Promise<void> {
  let last = Promise.resolve();
  return () => {
    last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
    return last;
  };
}
