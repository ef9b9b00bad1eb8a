// The last step of a shutdown.
import { within } from '../clock.ts';

/** Milliseconds for a reader of standard output that is slow, or has stopped to read. */
const patience = 500;

/** Exits when what was printed has left the process: `process.exit` loses what waits for a pipe. */
export async function exitOncePrinted(code: number): Promise<void> {
  await within(patience, Promise.all([process.stdout, process.stderr].map(printed)), undefined);
  process.exit(code);
}

function printed(stream: NodeJS.WriteStream): Promise<void> | undefined {
  if (stream.writableLength === 0 || stream.destroyed) return undefined;
  return new Promise((resolve) => stream.write('', () => resolve()));
}
