// Whether there is room for another line where the logs are.
import { statfsSync } from 'node:fs';

/** Bytes below which a file system counts as full, and above which there is room again. */
const full = 64 * 1024;
const roomy = 1024 * 1024;

/** Undefined in between, and where nothing is known. */
export function isFull(directory: string): boolean | undefined {
  try {
    const { bsize, bfree, bavail } = statfsSync(directory);
    const free = bsize * (process.geteuid?.() === 0 ? bfree : bavail);
    if (free < full) return true;
    return free > roomy ? false : undefined;
  } catch {
    return undefined;
  }
}
