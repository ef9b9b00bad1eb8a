// A home is a directory, not a path. Somebody may remove or replace it under a living daemon.
import { constants, openSync, statSync } from 'node:fs';
import type { HomePaths } from '../../shared/paths.ts';

/** Returns a function that says whether the path still leads to the directory that it leads to now. */
export function holdHome({ home }: HomePaths): () => boolean {
  // The open descriptor keeps the system from giving the inode number to the next directory.
  openSync(home, constants.O_RDONLY | constants.O_DIRECTORY);
  const { dev, ino } = statSync(home);
  return () => {
    const now = statSync(home, { throwIfNoEntry: false });
    return now?.dev === dev && now.ino === ino;
  };
}
