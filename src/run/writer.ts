// Writes to a descriptor of ours that others may share, without waiting for its reader and without harm if that is gone.
import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import type { Clock } from '../shared/clock.ts';
import { errnoOf } from '../shared/errno.ts';

export interface Writer {
  write(text: string | Buffer): void;
  /** More is waiting to be written than is good. */
  readonly isFull: boolean;
  /** Resolves when nothing is left to be written. */
  drained(): Promise<void>;
}

/** Bytes. What comes beyond the limit, when nobody waits for `drained`, is lost. */
const plenty = 64 * 1024;
const limit = 16 * 1024 * 1024;
/** Milliseconds until a full pipe is tried again. */
const pause = 5;

export function createWriter(fd: number, clock: Clock): Writer {
  const own = withoutWaiting(fd);
  const queue: Buffer[] = [];
  const watchers: (() => void)[] = [];
  let size = 0;
  let isWaiting = false;

  function flush(): void {
    isWaiting = false;
    for (let chunk = queue[0]; chunk; chunk = queue[0]) {
      const written = tryWrite(own, chunk);
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
    drained: () => new Promise((resolve) => (size === 0 ? resolve() : watchers.push(resolve))),
  };
}

/** One writer for both where they are the same: then no line is written into the middle of another. */
export function createWriters(clock: Clock): { stdout: Writer; stderr: Writer } {
  const [one, two] = [fstatSync(1), fstatSync(2)];
  const stdout = createWriter(1, clock);
  const isSame = one.dev === two.dev && one.ino === two.ino;
  return { stdout, stderr: isSame ? stdout : createWriter(2, clock) };
}

/**
 * A pipe is opened once more, by the name that Linux has for it: whether a write waits is a matter of the opening, and
 * the apps share ours. Where that is not allowed, and for everything else, a write waits as that of any program does.
 */
function withoutWaiting(fd: number): number {
  try {
    if (!fstatSync(fd).isFIFO()) return fd;
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return fd;
  }
}

function tryWrite(fd: number, chunk: Buffer): number | 'later' {
  try {
    return writeSync(fd, chunk);
  } catch (error) {
    // Nobody reads any more, or the disk is full: nowhere to tell it.
    return errnoOf(error) === 'EAGAIN' ? 'later' : chunk.length;
  }
}
