// The standard input of a program with a pipe.
import type { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { type Handle, rawHandle } from '../../os/sockets/node-handles.ts';

export type StdinPipe = ReturnType<typeof inputOn>;

/** Bytes that may wait unread. Beyond that, further texts are rejected. */
const unread = 256 * 1024;

/** Undefined if the program has no pipe. */
export function inputOf({ stdin }: ChildProcess): StdinPipe | undefined {
  return stdin ? inputOn(stdin) : undefined;
}

/** Wraps the pipe of the previous daemon. */
export function inputFrom({ fd }: Handle): StdinPipe {
  return inputOn(new Socket({ fd, readable: false, writable: true }));
}

function inputOn(stdin: Writable) {
  // EPIPE is reported to the writer.
  stdin.on('error', () => {});
  return {
    /** The pipe itself, for the next daemon. */
    handle: rawHandle(stdin),
    /** Resolves when the pipe has the text. Rejects if the program has closed its input, has exited, or does not read. */
    write: (text: string) =>
      new Promise<void>((resolve, reject) => {
        if (stdin.writableLength > unread) reject(new Error('it does not read what it has been sent'));
        else stdin.write(text, (error) => (error ? reject(error) : resolve()));
      }),
  };
}
