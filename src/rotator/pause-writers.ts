// Lets the programs that write to a file stand still for the moment in which it is emptied, and go on whatever happens.
//
// SIGSTOP cannot be caught and is not seen by the program: it takes effect in each thread on its own, so every thread is
// looked at. Whoever was stopped by somebody else stays so.
import { isSameProcess } from '../os/proc.ts';
import { sleepSync } from '../os/sleep-sync.ts';
import { errnoOf } from '../shared/errno.ts';
import { type Holder, isStopped } from './holders.ts';

/** Milliseconds for all threads to come to rest: one in the midst of a slow system call lets us wait. */
const patience = 100;
const pause = 0.1;

/** Nothing was done, and another time it may succeed. */
export class Late extends Error {}

export interface WritersPaused {
  /** Throws Late when somebody has been continued by others meanwhile. */
  verify(): void;
}

export interface PauseWritersDeps {
  /** Who can write to the file; from the second call on, at least those who have come since the last one. */
  holders(): Holder[];
  /** Told of all that will be stopped, before they are. */
  record(stopped: readonly Holder[]): void;
  now(): number;
}

/**
 * Runs `act` while all holders stand still; returns the milliseconds for which some did. Throws Late when they could not be
 * brought to it in time.
 */
export function pauseWriters(deps: PauseWritersDeps, act: (paused: WritersPaused) => void): number {
  const { holders, record, now } = deps;
  const seen: Holder[] = [];
  const ours: Holder[] = [];
  let begun = now();
  try {
    // Again and again: one that was found may have forked before it stood.
    for (;;) {
      const fresh = holders().filter((holder) => !seen.some((other) => isOne(other, holder)));
      if (fresh.length === 0) break;
      seen.push(...fresh);
      const running = fresh.filter(({ pid }) => !isStopped(pid));
      record([...ours, ...running]);
      if (ours.length === 0) begun = now();
      ours.push(...running);
      for (const holder of running) stop(holder);
      while (!fresh.every(({ pid }) => isStopped(pid))) {
        if (now() > begun + patience) throw new Late(`not all writers could be paused within ${patience} ms`);
        sleepSync(pause);
      }
    }
    act({
      verify() {
        if (!seen.every(({ pid }) => isStopped(pid)))
          throw new Late('a paused writer was continued by another process');
      },
    });
  } finally {
    for (const holder of ours) goOn(holder);
  }
  return ours.length === 0 ? 0 : now() - begun;
}

function isOne(a: Holder, b: Holder): boolean {
  return a.pid === b.pid && a.startTime === b.startTime;
}

function stop(holder: Holder): void {
  const { pid } = holder;
  try {
    if (isSameProcess(holder)) process.kill(pid, 'SIGSTOP');
  } catch (cause) {
    if (errnoOf(cause) === 'ESRCH') return;
    throw new Error(`process ${pid} writes to the file, and this user may not pause it`, { cause });
  }
}

/** Whatever goes wrong with one, the others go on. */
function goOn(holder: Holder): void {
  try {
    if (isSameProcess(holder)) process.kill(holder.pid, 'SIGCONT');
  } catch {
    // It is gone, or became another user's, whom we could not have stopped.
  }
}
