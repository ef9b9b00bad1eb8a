// Checks whether the disk of the logs has room for more.
import { statfsSync } from 'node:fs';

/** Bytes below which a file system counts as full, and above which it no longer does. */
const full = 64 * 1024;
const roomy = 1024 * 1024;

/** Undefined in between, or if the free space is unknown. */
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
