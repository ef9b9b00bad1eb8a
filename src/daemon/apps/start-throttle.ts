// Starts at most one process per turn of the event loop: in between, the daemon handles requests of the first ones and
// answers its clients. Each process has its own session, so Linux gives it the same share of the CPU as the daemon
// (sched(7), "The autogroup feature"): three hundred that boot at the same time would silence the daemon for ten
// seconds. With turns, the processes that are booting slow down the start of more.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { oneByOne } from '../../shared/promises.ts';

/** Returns a function that gives each caller its own turn of the event loop, in order. */
export function createStartThrottle(): () => Promise<void> {
  const inTurn = oneByOne();
  return () => inTurn(() => nextTurn());
}
