// Pure: which rotated files are too many.

export interface RotatedFile {
  path: string;
  bytes: number;
}

/**
 * Of files from the newest to the oldest: those after the `most` bytes that they and `present`, which stays in any case,
 * may have together. 0 is no limit.
 */
export function overQuota<T extends RotatedFile>(files: readonly T[], present: number, most: number): T[] {
  if (most === 0) return [];
  let sum = present;
  const first = files.findIndex(({ bytes }) => {
    sum += bytes;
    return sum > most;
  });
  return first < 0 ? [] : files.slice(first);
}
