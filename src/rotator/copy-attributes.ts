// Gives the copy of a log the owner and the permissions of the log.
import { fchmodSync, fchownSync, type Stats } from 'node:fs';

/**
 * Sets the mode after opening, because open(2) applies the umask; first the owner, so the mode never admits the old
 * one.
 */
export function copyAttributes(copy: number, { mode, uid, gid }: Stats): void {
  if (process.geteuid?.() === 0) fchownSync(copy, uid, gid);
  fchmodSync(copy, mode & 0o777);
}
