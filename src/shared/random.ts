// Random bytes. Node's `crypto` takes megabytes to load.
import { closeSync, openSync, readSync } from 'node:fs';

/** Unpredictable bytes, at most 256. Throws the system's error. */
export function randomBytes(count: number): Buffer {
  const fd = openSync('/dev/urandom', 'r');
  try {
    const bytes = Buffer.alloc(count);
    // Up to 256 bytes are never cut short, not even by a signal: random(4).
    readSync(fd, bytes, 0, count, null);
    return bytes;
  } finally {
    closeSync(fd);
  }
}
