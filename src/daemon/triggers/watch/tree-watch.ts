// Watches directories with everything below them, with one fs.watch per directory: the recursive mode of fs.watch on Linux does the same
// inside, but cannot leave out directories, and an app's node_modules has thousands. chokidar 5 was tried: it adds a watch for
// every file (5,103 for 102 directories), and notices nothing in a directory that has replaced another.
import { type Dirent, lstatSync, type Stats, watch } from 'node:fs';
import { lstat, opendir, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errnoOf } from '../../../shared/errno.ts';
import { throwUncaught } from '../../../shared/throw-uncaught.ts';
import type { Flood } from './flood.ts';
import { WatchTree } from './watch-tree.ts';

export interface TreeWatchOptions {
  flood: Flood;
  /** Whether neither a path nor anything below it counts. */
  isIgnored(path: string): boolean;
  /** A file or link has changed, or a directory that was watched is gone: `isTree`. */
  changed(path: string, isTree: boolean): void;
  /** What was given to `follow` is no longer where it was. */
  left(path: string): void;
  /** There are too many changes: the caller should watch nothing for a while. */
  flooded(): void;
  failed(error: Error): void;
}

interface Walk {
  /** Whether it is because of a change. */
  isAgain: boolean;
  /** Called with each file. */
  found(path: string): void;
}

/** Directories per app. The kernel limits those of all apps of a user together, and one app must not use them up. */
const mostWatches = 10_000;

/** Bytes that a directory itself takes, with some thousand entries. Who may write to it can create millions. */
const largeDirectory = 128 * 1024;

export class TreeWatch {
  readonly #options: TreeWatchOptions;
  readonly #watches = new WatchTree();
  readonly #followed = new Set<string>();
  /** Sockets, pipes, devices, and directories whose name begins with a dot: once they are gone, their paths do not tell. */
  readonly #uncounted = new Set<string>();
  /** What was begun in an earlier turn has no effect. */
  #turn = {};

  constructor(options: TreeWatchOptions) {
    this.#options = options;
  }

  /** Calls `found` with each file in it, and resolves when everything is watched. `directory`, here and in all calls: without links. */
  async follow(directory: string, found: (path: string) => void): Promise<void> {
    this.#followed.add(directory);
    await this.#enter(directory, { isAgain: false, found }, this.#turn);
  }

  /** Through its directory: editors replace files, and a watch would stay with the old one. */
  followFile(file: string): void {
    const directory = dirname(file);
    const key = `${file} as a file`;
    this.#listen(directory, key, (name) => {
      if (name === basename(file)) this.#look(file, this.#turn);
      else if (name === basename(directory)) this.#lookForItself(directory, key, file).catch(throwUncaught);
    });
  }

  closeAll(): void {
    this.#turn = {};
    this.#watches.closeAll();
    this.#followed.clear();
    this.#uncounted.clear();
  }

  /** Watches a directory, but nothing below it. Returns what it is; undefined if nothing is watched. */
  #listen(directory: string, key: string, onChange: (name: string) => void): Stats | undefined {
    const { flood, failed, flooded } = this.#options;
    if (this.#watches.size >= mostWatches) {
      failed(new Error(`failed to watch ${directory}: an app may watch ${mostWatches} directories at most`));
      return undefined;
    }
    try {
      // First, so that a directory that replaces it in between is known to be another one.
      const stats = lstatSync(directory);
      const watcher = watch(directory, (_, name) => {
        if (flood.exceeds()) flooded();
        else if (name !== null) onChange(name);
      });
      watcher.on('error', failed);
      this.#watches.set(key, watcher, identityOf(stats));
      return stats;
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') failed(error as Error);
      return undefined;
    }
  }

  /**
   * Watches before it reads, so that an entry created in between is found by one or the other. In a walk because of a change, each
   * directory counts as another one: a directory with thousands of them can be renamed again and again.
   */
  async #enter(directory: string, walk: Walk, turn: object): Promise<void> {
    const { flood, flooded, isIgnored } = this.#options;
    if (turn !== this.#turn) return;
    if (walk.isAgain && flood.exceeds()) return flooded();
    const stats = this.#listen(directory, directory, (name) => {
      // A directory that is removed or moved reports its own name, as if it were one of its entries.
      const isRoot = name === basename(directory) && this.#followed.has(directory);
      if (isRoot) this.#lookForItself(directory, directory).catch(throwUncaught);
      this.#look(join(directory, name), turn);
    });
    if (!stats) return;
    for await (const entry of entriesOf(directory, stats)) {
      const path = join(directory, entry.name);
      const kind = kindOf(entry, entry.name);
      if (kind === 'other') this.#leaveOut(path);
      else if (kind === 'file') walk.found(path);
      else if (!isIgnored(path)) await this.#enter(path, walk, turn);
    }
  }

  #look(path: string, turn: object): void {
    if (!this.#options.isIgnored(path)) this.#judge(path, turn).catch(throwUncaught);
  }

  /**
   * An entry appeared, went, was replaced or written: a watch belongs to the directory that was there, not to its name. A link is not
   * followed, as in the first walk: it may lead to the whole file system.
   */
  async #judge(path: string, turn: object): Promise<void> {
    const { changed } = this.#options;
    const stats = await lstat(path).catch(() => undefined);
    if (turn !== this.#turn) return;
    const kind = stats && kindOf(stats, basename(path));
    const watched = this.#watches.identityOf(path);
    // It has other rights, or another time.
    if (stats && watched === identityOf(stats)) return;
    // Nothing is watched below what is not watched itself.
    if (watched !== undefined) this.#watches.close(path);
    if (kind === 'directory')
      return this.#enter(path, { isAgain: true, found: (file) => turn === this.#turn && changed(file, false) }, turn);
    if (kind === 'other') return this.#leaveOut(path);
    const isLeftOut = this.#uncounted.delete(path);
    if (!stats && (isLeftOut || isItself(path))) return;
    changed(path, watched !== undefined);
  }

  async #lookForItself(directory: string, key: string, followed = directory): Promise<void> {
    const stats = await lstat(directory).catch(() => undefined);
    if (!stats || identityOf(stats) !== this.#watches.identityOf(key)) this.#options.left(followed);
  }

  #leaveOut(path: string): void {
    if (this.#uncounted.size < mostWatches) this.#uncounted.add(path);
  }
}

/** Whether a watched directory has reported that it is gone, rather than an entry that has its name. */
function isItself(path: string): boolean {
  return basename(path) === basename(dirname(path));
}

function kindOf(entry: Stats | Dirent, name: string): 'directory' | 'file' | 'other' {
  if (entry.isDirectory()) return name.startsWith('.') ? 'other' : 'directory';
  return entry.isFile() || entry.isSymbolicLink() ? 'file' : 'other';
}

/** With the time of its birth, since the number of a removed directory is soon used again. */
function identityOf({ dev, ino, birthtimeMs }: Stats): string {
  return `${dev}:${ino}:${birthtimeMs}`;
}

/** A large directory is read in pieces, which takes three times as long. */
async function* entriesOf(directory: string, { size }: Stats): AsyncGenerator<Dirent> {
  try {
    if (size > largeDirectory) yield* await opendir(directory, { bufferSize: 1_000 });
    else yield* await readdir(directory, { withFileTypes: true });
  } catch {
    // The directory was removed meanwhile, or may not be read.
  }
}
