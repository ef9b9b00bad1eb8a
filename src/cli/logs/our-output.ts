// Whether a log is what this command itself prints to: /dev/stdout is another file for each process.
import { fstatSync, type Stats } from 'node:fs';

/** `nsv logs > file` would read what it prints, and print it again; `nsv flush > file` would empty what it prints. */
export function isOurOutput({ dev, ino }: Pick<Stats, 'dev' | 'ino'>): boolean {
  return [1, 2].some((fd) => {
    try {
      const ours = fstatSync(fd);
      return ours.dev === dev && ours.ino === ino;
    } catch {
      // It was closed.
      return false;
    }
  });
}
