// Keeps some file descriptors of the daemon for commands, so that one can still connect and stop an app when the apps have used up
// all others.
import { closeSync, openSync, readFileSync } from 'node:fs';
import { errnoOf } from '../shared/errno.ts';

const reserved = 16;
let limit: number | undefined;

/** Whether there are descriptors for another process or socket of an app. The system gives out the lowest free number: open(2). */
export function hasDescriptors(): boolean {
  limit ??= limitHere();
  try {
    const lowest = openSync('/dev/null', 'r');
    closeSync(lowest);
    return lowest < limit - reserved;
  } catch (error) {
    return errnoOf(error) !== 'EMFILE' && errnoOf(error) !== 'ENFILE';
  }
}

/** Node raises it to the hard limit when it starts. Unlimited where it cannot be read. */
function limitHere(): number {
  try {
    return Number(
      /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? Number.POSITIVE_INFINITY,
    );
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
