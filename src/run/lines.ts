// Output that nsv passes on line by line.
import type { Readable } from 'node:stream';
import { FormatterLines } from '../daemon/output/line-splitter.ts';
import type { Writer } from './writer.ts';

/** One or more lines with newlines between them and none at the end, valid until it returns, become text that ends with one. */
export type RenderLines = (lines: Buffer, isPiece: boolean) => string | Buffer;

/**
 * Resolves when the stream has ended; a last line without its newline gets one. Where nobody reads the writer any more, the
 * stream is closed too, so that the program meets what it would meet by writing there itself: EPIPE, or SIGPIPE.
 */
export function passLines(stream: Readable, render: RenderLines, writer: Writer): Promise<void> {
  const splitter = new FormatterLines((lines, isPiece) => writer.write(render(lines, isPiece)));
  stream.on('data', (chunk: Buffer) => {
    splitter.take(chunk);
    if (writer.isClosed) stream.destroy();
    if (!writer.isFull) return;
    stream.pause();
    // It never rejects.
    void writer.drained().then(() => stream.resume());
  });
  return new Promise((resolve) => {
    stream.on('error', () => {});
    stream.on('close', () => {
      if (!writer.isClosed) splitter.finish();
      resolve();
    });
  });
}
