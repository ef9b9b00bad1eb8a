// Pure: when to look at log files again while one grows. A watch by the kernel would wake the daemon at every line: it is
// used only to learn that a silence is over (change-watch.ts).

/** Milliseconds. Files that do not grow cost one stat in this time; a burst may fill a file far beyond its size in it. */
export const slowest = 5_000;
export const fastest = 250;
/** For a file that was never looked at before: it tells how fast it grows at the second look. */
export const second = 1_000;

export interface Growth {
  size: number;
  /** At the last look, and how many milliseconds ago that was; undefined at the first. */
  before: { size: number; elapsed: number } | undefined;
  /** The size at which it is rotated; 0 for never. */
  limit: number;
}

/** Milliseconds in which the file, as fast as it has grown, comes half-way to its limit. */
export function paceOf({ size, before, limit }: Growth): number {
  if (limit === 0) return slowest;
  if (!before) return second;
  const grown = size < before.size ? size : size - before.size;
  if (grown === 0) return slowest;
  const untilFull = ((limit - size) / grown) * before.elapsed;
  return Math.max(fastest, Math.min(slowest, untilFull / 2));
}
