// What nsv itself writes for any app: its home, logs with their rotated files, pid files. None of it is a change of an app that is
// watched, whichever app it is written for.
import { basename, dirname, join } from 'node:path';
import { realPathOf } from '../../../os/programs.ts';
import { rotationEnding } from '../../../shared/rotations.ts';

/** Of a pid file that the user of an app writes (upkeep/pid-files.ts), and of logs that logrotate rotates. */
const draftEnding = /\.\d+$/;

export class OwnFiles {
  readonly #home: string;
  readonly #written: () => readonly string[];
  #realHome: string;
  #isExpired = true;
  /** Those of removed apps stay: a pid file is removed last. */
  readonly #files = new Set<string>();

  /** `written`: the files that are written now, as the settings of the apps name them. */
  constructor(home: string, written: () => readonly string[]) {
    this.#home = home;
    this.#realHome = home;
    this.#written = written;
  }

  /** From now on, there may be others. */
  expire(): void {
    this.#isExpired = true;
  }

  /** `path`: without links. */
  has(path: string): boolean {
    if (this.#knows(path)) return true;
    if (!this.#isExpired) return false;
    this.#refresh();
    return this.#knows(path);
  }

  /** Looks which files these are, and where links lead. */
  #refresh(): void {
    this.#isExpired = false;
    const directories = new Map<string, string>();
    const directoryOf = (file: string) => {
      const named = dirname(file);
      const real = directories.get(named) ?? realPathOf(named);
      directories.set(named, real);
      return real;
    };
    this.#realHome = realPathOf(this.#home);
    for (const file of new Set(this.#written())) {
      const inDirectory = join(directoryOf(file), basename(file));
      // What is written is what a link leads to, and what is removed is the link.
      if (!this.#isInHome(inDirectory)) this.#files.add(inDirectory).add(realPathOf(inDirectory));
    }
  }

  #knows(path: string): boolean {
    if (this.#isInHome(path)) return true;
    return [path, path.replace(rotationEnding, ''), path.replace(draftEnding, '')].some((file) =>
      this.#files.has(file),
    );
  }

  #isInHome(path: string): boolean {
    return path === this.#realHome || path.startsWith(`${this.#realHome}/`);
  }
}
