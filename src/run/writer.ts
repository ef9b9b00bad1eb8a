// Writes to a descriptor that may be shared, without blocking on its reader or failing if the reader is gone.
import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import type { Clock } from '../shared/clock.ts';
import { errnoOf } from '../shared/errno.ts';

export interface Writer {
  write(text: string | Buffer): void;
  /** Too much data is queued: the source should pause. */
  readonly isFull: boolean;
  /** The reader is gone: writes are dropped. */
  readonly isClosed: boolean;
  /** Resolves when the queue is empty. */
  drained(): Promise<void>;
}

/** Bytes. Above `plenty`, the writer is full; above `limit`, if the caller does not await `drained`, data is lost. */
const plenty = 64 * 1024;
const limit = 16 * 1024 * 1024;
/** Milliseconds before a full pipe is tried again. */
const pause = 5;

/** `failed` is called once, with the first error. */
export function createWriter(fd: number, clock: Clock, failed: (error: unknown) => void): Writer {
  const own = withoutWaiting(fd);
  const queue: Buffer[] = [];
  const watchers: (() => void)[] = [];
  let size = 0;
  let isWaiting = false;
  let isClosed = false;
  let hasFailed = false;

  /** Returns the number of bytes that are done with, whether written or dropped. */
  function attempt(chunk: Buffer): number | 'later' {
    try {
      return isClosed ? chunk.length : writeSync(own, chunk);
    } catch (error) {
      if (errnoOf(error) === 'EAGAIN') return 'later';
      isClosed = errnoOf(error) === 'EPIPE';
      if (!hasFailed) {
        hasFailed = true;
        // Not synchronously: the error message may go to this writer too.
        queueMicrotask(() => failed(error));
      }
      return chunk.length;
    }
  }

  function flush(): void {
    isWaiting = false;
    for (let chunk = queue[0]; chunk; chunk = queue[0]) {
      const written = attempt(chunk);
      if (written === 'later') {
        isWaiting = true;
        clock.after(pause, flush);
        return;
      }
      size -= written;
      if (written < chunk.length) queue[0] = chunk.subarray(written);
      else queue.shift();
    }
    for (const drained of watchers.splice(0)) drained();
  }

  return {
    write(text) {
      if (size > limit) return;
      const chunk = typeof text === 'string' ? Buffer.from(text) : text;
      queue.push(chunk);
      size += chunk.length;
      if (!isWaiting) flush();
    },
    get isFull() {
      return size > plenty;
    },
    get isClosed() {
      return isClosed;
    },
    drained: () => new Promise((resolve) => (size === 0 ? resolve() : watchers.push(resolve))),
  };
}

/** Uses one writer if both are the same file, so that no line is written into the middle of another. */
export function createWriters(
  clock: Clock,
  failed: (name: string, error: unknown) => void,
): { stdout: Writer; stderr: Writer } {
  const [one, two] = [fstatSync(1), fstatSync(2)];
  const stdout = createWriter(1, clock, (error) => failed('standard output', error));
  const isSame = one.dev === two.dev && one.ino === two.ino;
  return { stdout, stderr: isSame ? stdout : createWriter(2, clock, (error) => failed('standard error', error)) };
}

/**
 * Opens a pipe or a terminal (which Ctrl-S can block) a second time, through /proc: O_NONBLOCK is a property of the
 * open file description, and the apps share that of nsv. If opening is not allowed, and for all other files, writes
 * block as in any program.
 */
function withoutWaiting(fd: number): number {
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
  try {
    if (!fstatSync(fd).isFIFO() && !isatty(fd)) return fd;
    return openSync(`/proc/self/fd/${fd}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    return fd;
  }
}
