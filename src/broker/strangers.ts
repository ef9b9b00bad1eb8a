// Connections that have not said who they are. Any program of the user can make them.
import type { Clock } from '../shared/clock.ts';

/** Milliseconds until one is closed. */
const timeout = 5_000;
/** All processes of an app connect at the same time after the death of a daemon, and at once say who they are. */
const most = 1_000;

/**
 * Returns a function for each new connection. `close` is called if it takes too long, or is the oldest of too many. What that returns
 * says that it is known, or gone.
 */
export function limitStrangers(clock: Clock): (close: () => void) => () => void {
  const waiting = new Set<() => void>();
  return (close) => {
    const known = () => {
      cancel();
      waiting.delete(end);
    };
    const end = () => {
      known();
      close();
    };
    const cancel = clock.after(timeout, end);
    waiting.add(end);
    const [oldest] = waiting;
    if (waiting.size > most) oldest?.();
    return known;
  };
}
