// Writes to a descriptor of ours that others may share, without waiting for its reader and without harm if that is gone.
import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import type { Clock } from '../shared/clock.ts';
import { errnoOf } from '../shared/errno.ts';

export interface Writer {
  write(text: string | Buffer): void;
  /** More is waiting to be written than is good. */
  readonly isFull: boolean;
  /** Nobody reads any more: what is written is dropped. */
  readonly isClosed: boolean;
  /** Resolves when nothing is left to be written. */
  drained(): Promise<void>;
}

/** Bytes. What comes beyond the limit, when nobody waits for `drained`, is lost. */
const plenty = 64 * 1024;
const limit = 16 * 1024 * 1024;
/** Milliseconds until a full pipe is tried again. */
const pause = 5;

/** `failed` is told once of what cannot be written. */
export function createWriter(fd: number, clock: Clock, failed: (error: unknown) => void): Writer {
  const own = withoutWaiting(fd);
  const queue: Buffer[] = [];
  const watchers: (() => void)[] = [];
  let size = 0;
  let isWaiting = false;
  let isClosed = false;
  let hasFailed = false;

  /** The number of bytes that are done with, written or not. */
  function attempt(chunk: Buffer): number | 'later' {
    try {
      return isClosed ? chunk.length : writeSync(own, chunk);
    } catch (error) {
      if (errnoOf(error) === 'EAGAIN') return 'later';
      isClosed = errnoOf(error) === 'EPIPE';
      if (!hasFailed) {
        hasFailed = true;
        // Not now: what is told may come here too.
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

/** One writer for both where they are the same: then no line is written into the middle of another. */
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
 * A pipe, or a terminal, which Ctrl-S holds up, is opened once more, by the name that Linux has for it: whether a write waits
 * is a matter of the opening, and the apps share ours. Where that is not allowed, and for everything else, a write waits as
 * that of any program does.
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
