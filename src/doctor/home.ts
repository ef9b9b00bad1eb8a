// Collects facts about the home and the disks.
import { accessSync, constants, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { checkHome } from '../os/trust/home.ts';
import { detailOf, NsvError } from '../shared/errors.ts';
import type { HomePaths } from '../shared/paths.ts';
import type { DiskFacts, HomeFacts } from './facts.ts';

export function lookAtHome(paths: HomePaths): HomeFacts {
  const path = paths.home;
  try {
    if (!checkHome(paths)) return { path, isThere: false, mode: 0 };
  } catch (error) {
    const hint = error instanceof NsvError ? error.hint : 'set NSV_HOME to another directory';
    return { path, isThere: true, mode: 0, unsafe: { detail: detailOf(error), hint } };
  }
  return {
    path,
    isThere: true,
    mode: statSync(path).mode & 0o777,
    unwritable: whyUnwritable(path),
    tooLong: excessOf(join(paths.locks, 'name.sock')),
  };
}

export function whyUnwritable(path: string): string | undefined {
  try {
    accessSync(path, constants.W_OK);
    return undefined;
  } catch (error) {
    return detailOf(error);
  }
}

/** On Linux, nsv has another way to reach a socket with a longer path (socket-file.ts). */
function excessOf(socket: string): number | undefined {
  const excess = Buffer.byteLength(socket) - 103;
  return process.platform === 'linux' || excess <= 0 ? undefined : excess;
}

/** Reports each file system once. */
export function lookAtDisks(places: readonly string[]): DiskFacts[] {
  const seen = new Set<number>();
  return places.flatMap((place) => {
    try {
      const { dev } = statSync(place);
      if (seen.has(dev)) return [];
      seen.add(dev);
      return diskOf(place);
    } catch {
      // Other checks report missing directories.
      return [];
    }
  });
}

function diskOf(path: string): DiskFacts {
  const { bsize, blocks, bfree, bavail, files, ffree } = statfsSync(path);
  // Space reserved for root counts neither as used nor as free.
  const usable = blocks - bfree + bavail;
  const freeShare = usable > 0 ? bavail / usable : 1;
  return { path, freeBytes: bavail * bsize, freeShare, freeFiles: files > 0 ? ffree : undefined };
}
