// Stops the processes that write to a file while it is truncated, and always continues them afterwards.
//
// SIGSTOP cannot be caught, and programs do not notice it. It takes effect in each thread separately, so every thread
// is checked. Processes that something else had stopped stay stopped.
import { isSameProcess } from '../os/proc.ts';
import { sleepSync } from '../os/sleep-sync.ts';
import { errnoOf } from '../shared/errno.ts';
import { type FileHolder, isPaused } from './holders.ts';

/** Milliseconds for all threads to stop: a thread in a slow system call delays it. */
const timeout = 100;
const pause = 0.1;

/** Nothing was changed; a retry may succeed. */
export class Late extends Error {}

export interface WritersPaused {
  /** Throws Late if a process has been continued by someone else in the meantime. */
  verify(): void;
}

export interface PauseWritersDeps {
  /** The processes that can write to the file; from the second call on, at least the new ones. */
  holders(): FileHolder[];
  /** Called with all processes that will be stopped, before they are. */
  record(stopped: readonly FileHolder[]): void;
  now(): number;
}

/**
 * Runs `act` while all holders are stopped; returns for how many milliseconds any of them was. Throws Late if they
 * could not be stopped in time.
 */
export function pauseWriters(deps: PauseWritersDeps, act: (paused: WritersPaused) => void): number {
  const { holders, record, now } = deps;
  const seen: FileHolder[] = [];
  const ours: FileHolder[] = [];
  let begun = now();
  try {
    // Repeats until no new holder is found: a process may have forked before it stopped.
    for (;;) {
      const fresh = holders().filter(
        (holder) => !seen.some(({ pid, startTime }) => pid === holder.pid && startTime === holder.startTime),
      );
      if (fresh.length === 0) break;
      seen.push(...fresh);
      const running = fresh.filter(({ pid }) => !isPaused(pid));
      record([...ours, ...running]);
      if (ours.length === 0) begun = now();
      ours.push(...running);
      for (const holder of running) stop(holder);
      while (!fresh.every(({ pid }) => isPaused(pid))) {
        if (now() > begun + timeout) throw new Late(`not all writers could be paused within ${timeout} ms`);
        sleepSync(pause);
      }
    }
    act({
      verify() {
        if (!seen.every(({ pid }) => isPaused(pid))) throw new Late('a paused writer was continued by another process');
      },
    });
  } finally {
    for (const holder of ours) resume(holder);
  }
  return ours.length === 0 ? 0 : now() - begun;
}

function stop(holder: FileHolder): void {
  const { pid } = holder;
  try {
    if (isSameProcess(holder)) process.kill(pid, 'SIGSTOP');
  } catch (cause) {
    if (errnoOf(cause) === 'ESRCH') return;
    throw new Error(`process ${pid} writes to the file, and this user may not pause it`, { cause });
  }
}

/** Ignores errors, so that a failure with one process does not keep the others stopped. */
function resume(holder: FileHolder): void {
  try {
    if (isSameProcess(holder)) process.kill(holder.pid, 'SIGCONT');
  } catch {
    // It is gone, or now belongs to another user, so nsv cannot have stopped it.
  }
}
