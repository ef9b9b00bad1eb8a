// Checks that the nsv home is safe. Commands and the daemon do so before they trust any file in it.
import { existsSync, lstatSync, mkdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf } from '../../shared/errno.ts';
import { detailOf, failure } from '../../shared/errors.ts';
import type { HomePaths } from '../../shared/paths.ts';
import { type CheckedPath, lookAt, weaknessOf } from './trusted-path.ts';

const root = 0;
/** What Linux shows for a user who has no number in this user namespace (/proc/sys/kernel/overflowuid). */
const unmapped = 65_534;

/** Returns true if the home exists and is safe, false if it does not exist. Throws HOME_UNSAFE. */
export function checkHome({ home }: HomePaths): boolean {
  const stats = statsOf(home);
  const detail = (stats && problemOf(stats)) ?? problemAbove(home);
  if (detail) throw failure('HOME_UNSAFE', { home, detail });
  return stats !== undefined;
}

/** Creates the home with mode 0700 if it does not exist, then checks it. Throws HOME_UNSAFE. */
export function prepareHome(paths: HomePaths): void {
  if (checkHome(paths)) return;
  const { home } = paths;
  try {
    makeDirectory(home);
  } catch (cause) {
    throw failure('HOME_UNSAFE', { home, detail: detailOf(cause) }, { cause });
  }
  checkHome(paths);
}

/** Creates the directory and those above it. Not with `recursive`: below /proc, that would never return. */
export function makeDirectory(path: string): void {
  const above = dirname(path);
  if (!existsSync(above)) makeDirectory(above);
  try {
    mkdirSync(path, 0o700);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}

function statsOf(home: string): Stats | undefined {
  try {
    return statSync(home, { throwIfNoEntry: false }) ?? linkless(home);
  } catch (cause) {
    const detail = errnoOf(cause) === 'EACCES' ? 'permission denied for a parent directory' : detailOf(cause);
    throw failure('HOME_UNSAFE', { home, detail }, { cause });
  }
}

/**
 * Detects a dangling symbolic link. It looks like a missing home, but mkdir(2) would fail on it with a confusing "file
 * exists". If there is no link, another command has just created the home.
 */
function linkless(home: string): Stats | undefined {
  const stats = lstatSync(home, { throwIfNoEntry: false });
  if (!stats?.isSymbolicLink()) return stats;
  throw failure('HOME_UNSAFE', { home, detail: 'it is a link to a path that does not exist' });
}

/**
 * Anyone who can write to the home can plant a socket that reads the environment of the next command, or a saved list
 * of programs to run. Root is refused in another user's home too (`sudo` may keep HOME), because it would run what that
 * user planted.
 */
function problemOf(stats: Stats): string | undefined {
  if (!stats.isDirectory()) return 'it is not a directory';
  const user = process.geteuid?.();
  if (user !== undefined && stats.uid !== user) return `it belongs to user ${stats.uid}, and you are user ${user}`;
  const mode = stats.mode & 0o777;
  if (mode & 0o022) return `other users can write to it (mode 0${mode.toString(8)})`;
  return undefined;
}

/**
 * Whoever can write to a directory above the home can exchange the home for another between two calls, and so decide
 * which files the daemon opens: https://cwe.mitre.org/data/definitions/367.html
 */
function problemAbove(home: string): string | undefined {
  const user = process.geteuid?.();
  if (user === undefined) return undefined;
  const weakness = weaknessOf(home, { uid: user, sticky: 'new' }, (path) => asInNamespace(lookAt(path)));
  if (!weakness) return undefined;
  const { path, uid, mode } = weakness;
  if (uid !== user && uid !== root) return `it is inside ${path}, which belongs to user ${uid}`;
  return `it is inside ${path}, which other users can write to (mode 0${(mode & 0o7777).toString(8)})`;
}

/**
 * In a user namespace, such as that of a sandbox without root, `/` may belong to somebody outside. Nobody inside can
 * become that user: user_namespaces(7). So it is as good as root.
 */
function asInNamespace(found: CheckedPath | undefined): CheckedPath | undefined {
  return found?.uid === unmapped && !isMapped(unmapped) ? { ...found, uid: root } : found;
}

function isMapped(uid: number): boolean {
  try {
    const ranges = readFileSync('/proc/self/uid_map', 'utf8').trim().split('\n');
    return ranges.some((range) => {
      const [first = 0, , count = 0] = range.trim().split(/ +/).map(Number);
      return uid >= first && uid < first + count;
    });
  } catch {
    return true;
  }
}
