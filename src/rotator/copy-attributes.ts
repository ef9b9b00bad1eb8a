// A copy of a log is whose the log is, and whoever may read the one may read the other.
import { fchmodSync, fchownSync, type Stats } from 'node:fs';

/** Afterwards, as a mode at the opening is cut by our mask; the owner first, who may not be one whom the mode would let in. */
export function copyAttributes(copy: number, { mode, uid, gid }: Stats): void {
  if (process.geteuid?.() === 0) fchownSync(copy, uid, gid);
  fchmodSync(copy, mode & 0o777);
}
