// Whether the nsv home may be trusted. Both ends ask before they believe a file in it.
import { lstatSync, mkdirSync, type Stats, statSync } from 'node:fs';
import { errnoOf } from './errno.ts';
import { detailOf, failure } from './errors.ts';
import type { HomePaths } from './paths.ts';

/** True when the home is there and safe, false when it was never made. Throws HOME_UNSAFE. */
export function checkHome({ home }: HomePaths): boolean {
  const stats = statsOf(home);
  if (!stats) return false;
  const detail = problemOf(stats);
  if (detail) throw failure('HOME_UNSAFE', { home, detail });
  return true;
}

/** Makes the home, with mode 0700, unless it is there; then checks it. Throws HOME_UNSAFE. */
export function prepareHome(paths: HomePaths): void {
  if (checkHome(paths)) return;
  const { home } = paths;
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw failure('HOME_UNSAFE', { home, detail: detailOf(cause) }, { cause });
  }
  checkHome(paths);
}

function statsOf(home: string): Stats | undefined {
  try {
    return statSync(home, { throwIfNoEntry: false }) ?? linkless(home);
  } catch (cause) {
    const detail = errnoOf(cause) === 'EACCES' ? 'permission denied on the way to it' : detailOf(cause);
    throw failure('HOME_UNSAFE', { home, detail }, { cause });
  }
}

/**
 * A link to nothing looks like a home that was never made, but mkdir(2) would fail on it with a puzzling "file exists". What
 * is no link has been made since the first look, by another command.
 */
function linkless(home: string): Stats | undefined {
  const stats = lstatSync(home, { throwIfNoEntry: false });
  if (!stats?.isSymbolicLink()) return stats;
  throw failure('HOME_UNSAFE', { home, detail: 'it is a link to something that does not exist' });
}

/**
 * Whoever can write in the home can plant a socket that reads the environment of the next command, or a saved list of
 * programs to run. That holds for root too: with another user's home it would run what that user planted, so root is
 * refused like anyone else (`sudo` may keep HOME).
 */
function problemOf(stats: Stats): string | undefined {
  if (!stats.isDirectory()) return 'it is not a directory';
  const user = process.geteuid?.();
  if (user !== undefined && stats.uid !== user) return `it belongs to the user ${stats.uid}, and you are ${user}`;
  const mode = stats.mode & 0o777;
  if (mode & 0o022) return `other users may write it (its mode is 0${mode.toString(8)})`;
  return undefined;
}
