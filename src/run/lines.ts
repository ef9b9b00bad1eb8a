// Passes on the output of apps line by line.
import type { Readable } from 'node:stream';
import { FormatterLines } from '../daemon/output/line-splitter.ts';
import type { Writer } from './writer.ts';

/** Renders one or more lines (separated by newlines, valid only during the call) to text that ends with a newline. */
export type RenderLines = (lines: Buffer, isPiece: boolean) => string | Buffer;

/**
 * Resolves when the stream has ended; adds a missing final newline. If the reader of the output is gone, closes the
 * stream too, so that the program gets the EPIPE or SIGPIPE that it would get by writing there directly.
 */
export function passLines(stream: Readable, render: RenderLines, writer: Writer): Promise<void> {
  const splitter = new FormatterLines((lines, isPiece) => writer.write(render(lines, isPiece)));
  stream.on('data', (chunk: Buffer) => {
    splitter.take(chunk);
    if (writer.isClosed) stream.destroy();
    if (!writer.isFull) return;
    stream.pause();
    // Never rejects.
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
