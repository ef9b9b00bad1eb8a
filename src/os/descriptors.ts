// Keeps some file descriptors of the daemon for commands, so that one can still connect and stop an app when the apps have used up
// all others.
import { closeSync, openSync } from 'node:fs';
import { errnoOf } from '../shared/errno.ts';
import { fileText } from './proc.ts';

const reserved = 16;
let limit: number | undefined;

/** Whether there are descriptors for another process or socket of an app. The system gives out the lowest free number: open(2). */
export function hasDescriptors(): boolean {
  // Node raises it to the hard limit when it starts. Unlimited where it cannot be read.
  limit ??= Number(/^Max open files +(\d+)/m.exec(fileText('/proc/self/limits'))?.[1] ?? Number.POSITIVE_INFINITY);
  try {
    const lowest = openSync('/dev/null', 'r');
    closeSync(lowest);
    return lowest < limit - reserved;
  } catch (error) {
    return errnoOf(error) !== 'EMFILE' && errnoOf(error) !== 'ENFILE';
  }
}
