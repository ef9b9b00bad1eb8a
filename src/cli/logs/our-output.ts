// Checks whether a log is the output of this command itself: /dev/stdout is a different file in each process.
import { fstatSync, type Stats } from 'node:fs';

/** `nsv logs > file` would read and print its own output again; `nsv flush > file` would truncate its own output. */
export function isOurOutput({ dev, ino }: Pick<Stats, 'dev' | 'ino'>): boolean {
  return [1, 2].some((fd) => {
    try {
      const ours = fstatSync(fd);
      return ours.dev === dev && ours.ino === ino;
    } catch {
      // The descriptor is closed.
      return false;
    }
  });
}
