// Output that nsv passes on line by line.
import type { Readable } from 'node:stream';
import type { Writer } from './writer.ts';

export type RenderLine = (line: Buffer) => string | Buffer;

/** Bytes after which a line is passed on in pieces: memory is not endless. */
const longestLine = 1024 * 1024;
const newline = 0x0a;

/**
 * Resolves when the stream has ended; a last line without its newline gets one. Where nobody reads the writer any more, the
 * stream is closed too, so that the program meets what it would meet by writing there itself: EPIPE, or SIGPIPE.
 */
export function passLines(stream: Readable, render: RenderLine, writer: Writer): Promise<void> {
  let rest: Buffer[] = [];
  let length = 0;

  function add(part: Buffer): void {
    rest.push(part);
    length += part.length;
  }

  function finish(): void {
    writer.write(render(Buffer.concat(rest)));
    rest = [];
    length = 0;
  }

  stream.on('data', (chunk: Buffer) => {
    let from = 0;
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
      add(chunk.subarray(from, at));
      finish();
      from = at + 1;
    }
    if (from < chunk.length) add(chunk.subarray(from));
    if (length > longestLine) finish();
    if (writer.isClosed) stream.destroy();
    if (!writer.isFull) return;
    stream.pause();
    writer.drained().then(() => stream.resume());
  });
  return new Promise((resolve) => {
    stream.on('error', () => {});
    stream.on('close', () => {
      if (length > 0 && !writer.isClosed) finish();
      resolve();
    });
  });
}
