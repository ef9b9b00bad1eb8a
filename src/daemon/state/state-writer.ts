// Decides when the state is written: soon after a change, one write at a time, and at once before a command is
// answered.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, pause } from '../../shared/clock.ts';
import { detailOf } from '../../shared/errors.ts';

export interface StateWriterOptions {
  clock: Clock;
  /** Prepares the parts of `take`, one by one, so that it takes less time. They may change again before it is called. */
  prepare(): Iterator<unknown>;
  /** The current state as bytes. Their first line differs for each different state. */
  take(): Buffer;
  /** `kept` is called as soon as the next daemon would find it. Resolves when a power cut would not lose it either. */
  write(bytes: Buffer, kept: () => void): Promise<void>;
  /** Called once when writing begins to fail, and once when it works again. */
  logError(text: string): void;
}

/**
 * Milliseconds from the first change until it is written: a crash loop makes a thousand changes a second. If the daemon
 * dies before that, the next one finds the processes that are in the spawn log (spawn-log.ts) and not in the state.
 */
const writeAfter = 250;
/**
 * After each write, the next one waits for this many times as long as it took to take the state, so that writing takes about a tenth of
 * the daemon's time at most. When a thousand apps become ready, a thousand commands wait for writes of three megabytes.
 */
const restFactor = 10;
/** Milliseconds for which parts are prepared at a time: those of a thousand apps take more than 100. */
const slice = 10;
/** Milliseconds between two attempts on a full disk. */
const retryAfter = 5_000;

export function createStateWriter({ clock, prepare, take, write, logError }: StateWriterOptions) {
  let isDirty = false;
  let isClosed = false;
  let problem: unknown;
  /** The first line of the last write: all of it would be kilobytes for each app. */
  let last = '';
  let cancel: (() => void) | undefined;
  /** Writes run one after another. */
  let tail = Promise.resolve();
  /** Resolves when the next daemon would find what the last write writes. */
  let kept: Promise<void> = tail;
  /** Whether the last one has not begun: it writes everything until then, for all who wait. */
  let isQueued = false;
  let restsUntil = 0;

  function wait(ms: number): void {
    cancel ??= clock.after(ms, () => {
      cancel = undefined;
      flush();
    });
  }

  function flush(): void {
    if (isQueued) return;
    isQueued = true;
    kept = new Promise((resolve) => {
      tail = tail.then(() => save(resolve)).then(resolve);
    });
  }

  /** Prepares in slices, between which the daemon answers. Resolves to the milliseconds that they took together. */
  async function prepared(): Promise<number> {
    const parts = prepare();
    for (let spent = 0; ; await nextTurn()) {
      const begun = clock.now();
      let part = parts.next();
      while (!part.done && clock.now() - begun < slice) part = parts.next();
      spent += clock.now() - begun;
      if (part.done) return spent;
    }
  }

  async function save(isKept: () => void): Promise<void> {
    const left = restsUntil - clock.now();
    if (left > 0) await pause(clock, left);
    const spent = await prepared();
    isQueued = false;
    if (!isDirty || isClosed) return;
    isDirty = false;
    const begun = clock.now();
    const bytes = take();
    const taken = clock.now();
    restsUntil = taken + restFactor * (spent + taken - begun);
    const fingerprint = firstLineOf(bytes);
    if (problem === undefined && fingerprint === last) return;
    try {
      await write(bytes, isKept);
      last = fingerprint;
      if (problem !== undefined) logError('the state file can be written again');
      problem = undefined;
    } catch (error) {
      if (problem === undefined) logError(`failed to write the state file, will retry: ${detailOf(error)}`);
      problem = error;
      isDirty = true;
      wait(retryAfter);
    }
  }

  return {
    /** Call it after each change; it is cheap. */
    changed() {
      isDirty = true;
      if (!cancel && !isClosed) wait(writeAfter);
    },
    /** Resolves when everything so far is on the disk, or cannot be. */
    settled() {
      if (isDirty) flush();
      return tail;
    },
    /** Resolves when the next daemon would find everything so far, or cannot. That is some milliseconds earlier. */
    kept() {
      if (isDirty) flush();
      return kept;
    },
    /** Why the last write failed; undefined if it did not. */
    get problem() {
      return problem;
    },
    /** Stops writing; resolves when no write is under way. */
    close() {
      isClosed = true;
      cancel?.();
      return tail;
    },
  };
}

function firstLineOf(bytes: Buffer): string {
  return bytes.toString('latin1', 0, bytes.indexOf('\n'));
}
