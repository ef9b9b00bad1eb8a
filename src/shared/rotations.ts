// How rotated log files are called, and which of the files of a directory are some log's. The time is in the name, so names
// sort as they came, on every system and in every tool: web-0-out.log.2026-11-21T18-20-05-123Z, then with .gz behind it.

/** What stands behind the name of a rotated file while it is being written: it is none yet. */
export const draftSuffix = '.part';

const suffix = /^\.(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z)(\.gz)?$/;

export interface RotatedLog {
  /** The file name, without a directory. */
  name: string;
  /** When it was rotated, in milliseconds since 1970: all its lines are older. */
  at: number;
  isCompressed: boolean;
}

/** The name for what is taken out of `file` at this time, milliseconds since 1970. */
export function rotatedName(file: string, at: number): string {
  return `${file}.${new Date(at).toISOString().replace(/[:.]/g, '-')}`;
}

/**
 * The rotations of `file` among the names of its directory, the newest first. One that is there with and without .gz is
 * told once, without: it was compressed just now, or nearly.
 */
export function rotationsOf(file: string, names: readonly string[]): RotatedLog[] {
  const base = file.slice(file.lastIndexOf('/') + 1);
  const all = new Set(names);
  return names
    .filter((name) => name.startsWith(base) && !(name.endsWith('.gz') && all.has(name.slice(0, -'.gz'.length))))
    .flatMap((name) => rotationFrom(name, base.length) ?? [])
    .sort((a, b) => b.at - a.at);
}

/** Every rotation among these names, whatever it was taken from, the newest first. */
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

/** Whether it is what a rotation of `file` that did not come to its end has left; one that is being compressed is not. */
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
