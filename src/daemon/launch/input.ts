// The standard input of a program that has a pipe for it.
import type { ChildProcess } from 'node:child_process';

export interface Input {
  /** Resolves when the pipe has taken it. Rejects when the program has closed its input, has ended, or does not read. */
  write(text: string): Promise<void>;
}

/** Bytes that may wait for a program that does not read, before the next text for it. */
const unread = 256 * 1024;

/** Undefined where the program has no pipe. */
export function inputOf({ stdin }: ChildProcess): Input | undefined {
  if (!stdin) return undefined;
  // EPIPE: whoever writes is told of it.
  stdin.on('error', () => {});
  return {
    write: (text) =>
      new Promise((resolve, reject) => {
        if (stdin.writableLength > unread) reject(new Error('it does not read what it has been sent'));
        else stdin.write(text, (error) => (error ? reject(error) : resolve()));
      }),
  };
}
