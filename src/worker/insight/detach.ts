// Closes the inspector after the daemon's user has looked into the blocked process.
import { closeSync, openSync, readSync } from 'node:fs';
import { close, url } from 'node:inspector';
import type { Inspection } from './inspection.ts';

/** Bytes behind `from` in which Node has printed the address. */
const searched = 64 * 1024;

/**
 * Node opens the inspector when the signal gets to the event loop, perhaps for a second time, and that may be after this
 * question. An inspector that the app has opened itself stays open: its address is not in that part of the log.
 */
export async function detach(from: number, inspection: Inspection): Promise<{ closed: boolean }> {
  await inspection.turned();
  const address = url();
  const closed = address !== undefined && errorLogFrom(from).includes(address);
  if (closed) close();
  return { closed };
}

function errorLogFrom(from: number): string {
  try {
    // Standard error itself may be open for writing only.
    const fd = openSync('/proc/self/fd/2', 'r');
    try {
      const bytes = Buffer.alloc(searched);
      return bytes.toString('latin1', 0, readSync(fd, bytes, 0, bytes.length, from));
    } finally {
      closeSync(fd);
    }
  } catch {
    return '';
  }
}
