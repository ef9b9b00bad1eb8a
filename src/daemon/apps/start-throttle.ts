// Who starts many processes at once takes turns of the event loop: in between, the daemon hears what the first ones ask for,
// and answers its clients. As each process has a session of its own, Linux gives it the same share of the CPU as the
// daemon (sched(7), "The autogroup feature"): three hundred that boot at the same time would silence it for ten seconds.
// With turns, those that boot slow down the start of more.

/** Makes a function whose callers each get a turn of their own, in order. */
export function createStartThrottle(): () => Promise<void> {
  let last = Promise.resolve();
  return () => {
    last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
    return last;
  };
}
