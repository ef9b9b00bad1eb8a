// Finds the rotated files of a log, made by nsv (shared/rotations.ts) or by tools such as logrotate.
import { lstatSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { identityOfInode } from './live-file.ts';

/** `.1`, `.2.gz` as in logrotate: the smallest number is the newest, and each rotation increases all numbers by one. */
const number = /^\.(\d{1,3})(\.gz)?$/;
/** `.2026-11-21T18-20-05Z`, `-20261121.gz`, `.000017`: these sort by age and do not change. */
const sortable = /^[.-][\dTZ_:.+-]{4,}(\.gz)?$/;

/** Those of `names` that are rotated files of the log `name`, newest first. Pure. */
export function olderNames(name: string, names: readonly string[]): string[] {
  const all = new Set(names);
  const suffixes = names.filter((each) => each.startsWith(name)).map((each) => each.slice(name.length));
  // During compression both files exist, and the compressed one is incomplete.
  const whole = suffixes.filter((suffix) => !(suffix.endsWith('.gz') && all.has(name + suffix.slice(0, -3))));
  const numbered = whole.filter((suffix) => number.test(suffix));
  const sorted = whole.filter((suffix) => !number.test(suffix) && sortable.test(suffix));
  numbered.sort((a, b) => Number(number.exec(a)![1]) - Number(number.exec(b)![1]));
  sorted.sort((a, b) => (a.replace(/\.gz$/, '') < b.replace(/\.gz$/, '') ? 1 : -1));
  return [...sorted, ...numbered].map((suffix) => name + suffix);
}

/** The rotated files of a log, newest first; empty if its directory cannot be read. A link is not a rotated file. */
export function olderFiles(file: string): string[] {
  try {
    const names = olderNames(basename(file), readdirSync(dirname(file)));
    const files = names.map((name) => join(dirname(file), name)).filter(isFile);
    // If the newest is numbered, the log is rotated with numbers now, and was rotated in another way before.
    const numbered = files.findIndex((older) => number.test(older.slice(file.length)));
    const isNewer = numbered > 0 && statSync(files[numbered]!).mtimeMs > statSync(files[0]!).mtimeMs;
    return isNewer ? [...files.slice(numbered), ...files.slice(0, numbered)] : files;
  } catch {
    return [];
  }
}

function isFile(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() === true;
}

/** An identifier that survives rotations: the name, or the inode of a numbered file. Undefined if the file is gone. */
export function archiveIdentity(older: string): string | undefined {
  const found = statSync(older, { throwIfNoEntry: false });
  if (!found) return undefined;
  return /\.\d{1,3}$/.test(older) ? identityOfInode(found) : older.replace(/\.gz$/, '');
}

/** The files newer than those in `known`, oldest first. */
export function newerThan(known: ReadonlySet<string>, newestFirst: readonly string[]): string[] {
  const fresh: string[] = [];
  for (const older of newestFirst) {
    const identity = archiveIdentity(older);
    // A compressed numbered file existed before, under a smaller number.
    if (identity === undefined || known.has(identity) || /\.\d{1,3}\.gz$/.test(older)) break;
    fresh.unshift(older);
  }
  return fresh;
}
