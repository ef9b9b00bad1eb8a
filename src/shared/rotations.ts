// Names of rotated log files, such as web-0-out.log.2026-11-21T18-20-05-123Z, with .gz if compressed. The time is part
// of the name, so every tool on every system sorts the files by age.

/** Suffix of a rotated file that is still being written and does not count yet. */
export const draftSuffix = '.part';

/** What the name of a rotated file has in addition to that of the log, also while it is being written. */
export const rotationEnding = /\.\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z(\.gz)?(\.part)?$/;

const suffix = /^\.(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z)(\.gz)?$/;

export interface RotatedLog {
  /** File name without a directory. */
  name: string;
  /** Time of the rotation, in milliseconds since 1970. All lines are older. */
  at: number;
  isCompressed: boolean;
}

/** The name of a rotation of `file` at a time in milliseconds since 1970. */
export function rotatedName(file: string, at: number): string {
  return `${file}.${new Date(at).toISOString().replace(/[:.]/g, '-')}`;
}

/**
 * Finds the rotations of `file` among the names of its directory, newest first. If a file exists with and without .gz,
 * its compression is under way or has just ended, and only the name without .gz is returned.
 */
export function rotationsOf(file: string, names: readonly string[]): RotatedLog[] {
  const base = file.slice(file.lastIndexOf('/') + 1);
  const all = new Set(names);
  return names
    .filter((name) => name.startsWith(base) && !(name.endsWith('.gz') && all.has(name.slice(0, -'.gz'.length))))
    .flatMap((name) => rotationFrom(name, base.length) ?? [])
    .sort((a, b) => b.at - a.at);
}

/** Finds the rotations of any file among these names, newest first. */
export function allRotations(names: readonly string[]): RotatedLog[] {
  return names
    .flatMap((name) => {
      const length = name.search(/\.\d{4}-\d\d-\d\dT[\d-]+Z(\.gz)?$/);
      return (length > 0 && rotationFrom(name, length)) || [];
    })
    .sort((a, b) => b.at - a.at);
}

function rotationFrom(name: string, length: number): RotatedLog | undefined {
  const [, stamp, gz] = suffix.exec(name.slice(length)) ?? [];
  if (!stamp) return undefined;
  const [date, time = ''] = stamp.split('T');
  const [hours, minutes, seconds, ms] = time.split('-');
  const at = Date.parse(`${date}T${hours}:${minutes}:${seconds}.${ms}`);
  return Number.isNaN(at) ? undefined : { name, at, isCompressed: gz !== undefined };
}

/** Whether the name is the leftover of an unfinished rotation of `file`. Excludes files that are being compressed. */
export function isDraft(file: string, name: string): boolean {
  const base = file.slice(file.lastIndexOf('/') + 1);
  const whole = name.slice(0, -draftSuffix.length);
  return (
    name.startsWith(base) &&
    name.endsWith(draftSuffix) &&
    !whole.endsWith('.gz') &&
    suffix.test(whole.slice(base.length))
  );
}
