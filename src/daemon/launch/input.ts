// The standard input of a program that has a pipe for it.
import type { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import type { Handle } from '../../os/handle.ts';

export interface StdinPipe {
  /** The pipe itself, for the next daemon. */
  readonly handle: Handle;
  /** Resolves when the pipe has taken it. Rejects when the program has closed its input, has ended, or does not read. */
  write(text: string): Promise<void>;
}

/** Bytes that may wait for a program that does not read, before the next text for it. */
const unread = 256 * 1024;

/** Undefined where the program has no pipe. */
export function inputOf({ stdin }: ChildProcess): StdinPipe | undefined {
  return stdin ? inputOn(stdin) : undefined;
}

/** The pipe that the daemon before this one had. */
export function inputFrom({ fd }: Handle): StdinPipe {
  return inputOn(new Socket({ fd, readable: false, writable: true }));
}

function inputOn(stdin: Writable): StdinPipe {
  // EPIPE: whoever writes is told of it.
  stdin.on('error', () => {});
  const { _handle: handle } = stdin as Writable & { _handle: Handle };
  return {
    handle,
    write: (text) =>
      new Promise((resolve, reject) => {
        if (stdin.writableLength > unread) reject(new Error('it does not read what it has been sent'));
        else stdin.write(text, (error) => (error ? reject(error) : resolve()));
      }),
  };
}
