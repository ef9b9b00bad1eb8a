// Passes on the output of apps line by line.
import type { Readable } from 'node:stream';
import { FormatterLines, type TakeLines } from '../logs/line-splitter.ts';
import type { Clock } from '../shared/clock.ts';

/** Where the lines go. */
export interface Sink {
  /** The reader is gone: what is written is dropped. A file has none. */
  readonly isClosed?: boolean;
  readonly isFull: boolean;
  drained(): Promise<void>;
}

/** Milliseconds to read the last output of exited processes: others may have inherited the pipe and hold it open. */
const patience = 500;

/** Resolves when all these streams are passed on, or will not be. */
export async function allPassed(streams: Iterable<Promise<void>>, clock: Clock): Promise<void> {
  let cancel = () => {};
  const isOver = new Promise<void>((resolve) => {
    cancel = clock.after(patience, resolve);
  });
  await Promise.race([Promise.all(streams), isOver]);
  cancel();
}

/**
 * Resolves when the stream has ended; adds a missing final newline. If the reader of the output is gone, closes the
 * stream too, so that the program gets the EPIPE or SIGPIPE that it would get by writing there directly.
 */
export function passLines(stream: Readable, take: TakeLines, sink: Sink): Promise<void> {
  const splitter = new FormatterLines(take);
  stream.on('data', (chunk: Buffer) => {
    splitter.take(chunk);
    if (sink.isClosed) stream.destroy();
    if (!sink.isFull) return;
    stream.pause();
    // Never rejects.
    void sink.drained().then(() => stream.resume());
  });
  return new Promise((resolve) => {
    stream.on('error', () => {});
    stream.on('close', () => {
      if (!sink.isClosed) splitter.finish();
      resolve();
    });
  });
}
