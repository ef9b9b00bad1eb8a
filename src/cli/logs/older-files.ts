// What a log file was before it was rotated, by nsv (shared/rotations.ts) or by others such as logrotate: names, and how to
// tell them from each other.
import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** `.1`, `.2.gz` as logrotate numbers them: the smallest is the newest, and each gets the next number at each rotation. */
const number = /^\.(\d{1,3})(\.gz)?$/;
/** `.2026-11-21T18-20-05Z`, `-20261121.gz`, `.000017`: they sort, and are kept. */
const sortable = /^[.-][\dTZ_:.+-]{4,}(\.gz)?$/;

/** The names among `names` that are rotated files of the log called `name`, newest first. Pure. */
export function olderNames(name: string, names: readonly string[]): string[] {
  const all = new Set(names);
  const suffixes = names.filter((each) => each.startsWith(name)).map((each) => each.slice(name.length));
  // While a file is compressed both are there, and the compressed one is not whole.
  const whole = suffixes.filter((suffix) => !(suffix.endsWith('.gz') && all.has(name + suffix.slice(0, -3))));
  const numbered = whole.filter((suffix) => number.test(suffix));
  const sorted = whole.filter((suffix) => !number.test(suffix) && sortable.test(suffix));
  numbered.sort((a, b) => Number(number.exec(a)![1]) - Number(number.exec(b)![1]));
  sorted.sort((a, b) => (a.replace(/\.gz$/, '') < b.replace(/\.gz$/, '') ? 1 : -1));
  return [...sorted, ...numbered].map((suffix) => name + suffix);
}

/** The rotated files of a log, newest first; none where its directory cannot be read. */
export function olderFiles(file: string): string[] {
  try {
    return olderNames(basename(file), readdirSync(dirname(file))).map((name) => join(dirname(file), name));
  } catch {
    return [];
  }
}

/** What stays the same of a rotated file when others come: its name, or where names change, its inode. Undefined when gone. */
export function identityOf(older: string): string | undefined {
  const found = statSync(older, { throwIfNoEntry: false });
  if (!found) return undefined;
  return /\.\d{1,3}$/.test(older) ? `${found.dev}:${found.ino}` : older.replace(/\.gz$/, '');
}

/** Those that came after the ones in `known`, oldest first. */
export function newerThan(known: ReadonlySet<string>, newestFirst: readonly string[]): string[] {
  const fresh: string[] = [];
  for (const older of newestFirst) {
    const identity = identityOf(older);
    // A number that is compressed was there before under a smaller one.
    if (identity === undefined || known.has(identity) || /\.\d{1,3}\.gz$/.test(older)) break;
    fresh.unshift(older);
  }
  return fresh;
}
