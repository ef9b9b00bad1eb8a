// Decides when to check growing log files again. Pure. A kernel watch would wake the daemon at every line, so one is
// used only while all files are quiet (change-watch.ts).

/** Milliseconds. A quiet file costs one stat per `slowest`, in which a burst may fill a file far beyond its limit. */
export const slowest = 5_000;
export const fastest = 250;
/** For a file checked for the first time: its growth is known only after the second check. */
export const second = 1_000;

export interface Growth {
  size: number;
  /** The size at the last check, and the milliseconds since then; undefined at the first check. */
  before: { size: number; elapsed: number } | undefined;
  /** The size at which the file is rotated; 0 for never. */
  limit: number;
}

/** Milliseconds until the file, at its current growth, is half-way to its limit. */
export function paceOf({ size, before, limit }: Growth): number {
  if (limit === 0) return slowest;
  if (!before) return second;
  const grown = size < before.size ? size : size - before.size;
  if (grown === 0) return slowest;
  const untilFull = ((limit - size) / grown) * before.elapsed;
  return Math.max(fastest, Math.min(slowest, untilFull / 2));
}
