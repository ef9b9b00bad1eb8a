// Selects the rotated files that exceed a limit. Pure.

export interface RotatedFile {
  path: string;
  bytes: number;
}

/**
 * `files` are sorted from newest to oldest. Returns those that do not fit into `most` bytes; `present` is the size of
 * what is kept in any case. 0 means no limit.
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
