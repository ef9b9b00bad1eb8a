// Prints an uncaught error: its stack, its causes and, as Node does below errors that end a process, Node's version. The daemon
// finds it in the log by its first word and its last line.
import { writeSync } from 'node:fs';
import { inspect } from 'node:util';

/** Summarises the error in one line for the daemon. */
export function errorSummary(error: unknown): string {
  try {
    return String(error).split('\n')[0] ?? '';
  } catch {
    return typeof error;
  }
}

export function printFatal(error: unknown): void {
  const { version } = process;
  try {
    write(`Uncaught ${inspected(error)}\n\nNode.js ${version}\n`);
  } catch {
    // Standard error is closed.
  }
}

function inspected(error: unknown): string {
  try {
    // A way to be inspected that an error brings along may leave out the stack.
    return inspect(error, { customInspect: false });
  } catch {
    // A getter has thrown.
    return errorSummary(error);
  }
}

/** Writes synchronously and without `process.stderr`, which the app may have replaced. */
function write(text: string): void {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(2, rest));
    } catch (error) {
      // EAGAIN: the pipe is full at the moment.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}
