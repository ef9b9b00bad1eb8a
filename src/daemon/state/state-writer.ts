// When the state is written: soon after a change, never twice at a time, at once before a command is answered.
import type { Clock } from '../../shared/clock.ts';
import { detailOf } from '../../shared/errors.ts';

export interface StateWriter {
  /** Something has changed; costs next to nothing, however often it is called. */
  changed(): void;
  /** Resolves when everything up to now is written, or cannot be. */
  settled(): Promise<void>;
  /** Writes nothing more; resolves when nothing is under way. */
  close(): Promise<void>;
}

export interface StateWriterOptions {
  clock: Clock;
  /** The state of now, as bytes; their first line is another for each other state. */
  take(): Buffer;
  write(bytes: Buffer): Promise<void>;
  /** Told once when writing begins to fail, and once when it works again. */
  tell(text: string): void;
}

/**
 * Milliseconds after the first change until it is written: a crash loop makes a thousand changes a second. What a daemon
 * that dies meanwhile has not written, the next one finds in the processes themselves (mark.ts).
 */
const writeAfter = 250;
/** Between two attempts on a disk that is full. */
const retryAfter = 5_000;

export function createStateWriter({ clock, take, write, tell }: StateWriterOptions): StateWriter {
  let isDirty = false;
  let isClosed = false;
  let hasFailed = false;
  /** Of what was written last: to keep all of it would be kilobytes for each app. */
  let last = '';
  let cancel: (() => void) | undefined;
  /** Writes follow one another. */
  let tail = Promise.resolve();

  function wait(ms: number): void {
    cancel ??= clock.after(ms, () => {
      cancel = undefined;
      flush();
    });
  }

  function flush(): void {
    tail = tail.then(save);
  }

  async function save(): Promise<void> {
    if (!isDirty || isClosed) return;
    isDirty = false;
    const bytes = take();
    const fingerprint = firstLineOf(bytes);
    if (!hasFailed && fingerprint === last) return;
    try {
      await write(bytes);
      last = fingerprint;
      if (hasFailed) tell('the state file can be written again');
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) tell(`failed to write the state file, will retry: ${detailOf(error)}`);
      hasFailed = true;
      isDirty = true;
      wait(retryAfter);
    }
  }

  return {
    changed() {
      isDirty = true;
      if (!cancel && !isClosed) wait(writeAfter);
    },
    settled() {
      if (isDirty) flush();
      return tail;
    },
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
