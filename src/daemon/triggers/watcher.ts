// Reports file changes. Load this file only when an app is watched, because it loads picomatch.
//
// It walks the tree itself, with one fs.watch per directory: the recursive mode of fs.watch on Linux does the same
// inside, but cannot leave out directories, and an app's node_modules has thousands.
import type { FSWatcher } from 'node:fs';
import { type Dirent, lstatSync, watch } from 'node:fs';
import { lstat, opendir, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import picomatch from 'picomatch';
import type { Clock } from '../../shared/clock.ts';
import { errnoOf } from '../../shared/errno.ts';
import { throwUncaught } from '../../shared/throw-uncaught.ts';

export interface WatcherOptions {
  /** Absolute paths of files, and of directories, which are watched with everything below them. */
  paths: readonly string[];
  /** Names, paths relative to `cwd` or absolute, and globs. */
  ignore: readonly string[];
  /** Absolute paths, taken literally, whose changes are ignored: the nsv home and the log files of the app. */
  own: readonly string[];
  cwd: string;
  /** Milliseconds without a further change after which `onChange` is called. */
  delay: number;
  clock: Clock;
  /** Called with the first file of a burst of changes. */
  onChange(file: string): void;
  /**
   * Called once if something cannot be watched (no such path, too many watches); the rest is still watched. Also called
   * once if there are too many changes at a time: then nothing is watched for a while.
   */
  onError(error: Error): void;
}

/** Directories per app. The kernel limits those of all apps of a user together, and one app must not use them up. */
const mostWatches = 10_000;

/** Bytes that a directory itself takes, with some thousand entries. Who may write to it can create millions. */
const largeDirectory = 128 * 1024;

/** Always ignored, because it is never an app's source: packages, history, and what editors leave while they save. */
const alwaysIgnored = ['node_modules', '.git', '*~', '.*.sw?', '.#*', '4913'];

export function createWatcher(options: WatcherOptions) {
  const { paths, delay, clock, onChange, onError } = options;
  const isIgnored = createFilter(options);
  const watches = new WatchTree();
  let changed: string | undefined;
  let cancel: (() => void) | undefined;
  let isClosed = false;
  let isBroken = false;
  const flood = new Flood(clock);
  let isResting = false;
  let wasFlooded = false;

  function change(file: string): void {
    changed ??= file;
    cancel?.();
    cancel = clock.after(delay, () => {
      const first = changed ?? file;
      changed = undefined;
      flood.end();
      onChange(first);
    });
  }

  /** What changes meanwhile is not missed: the watches are set up again before the changes count as over. */
  function rest(file: string): void {
    if (!wasFlooded)
      onError(new Error(`more than ${mostEvents} changes within a second: changes are noticed later, as one`));
    wasFlooded = true;
    isResting = true;
    watches.closeAll();
    cancel?.();
    cancel = clock.after(flood.begin(), () => {
      isResting = false;
      Promise.all(paths.map((path) => begin(path)))
        .then(() => isClosed || isResting || change(file))
        .catch(throwUncaught);
    });
  }

  function fail(error: Error): void {
    if (!isBroken && !isClosed) onError(error);
    isBroken = true;
  }

  /** Watches a directory, but nothing below it. Returns false if nothing more can be watched. */
  function listen(directory: string, key: string, onChange: (name: string | null, isRename: boolean) => void): boolean {
    if (isClosed || isResting) return false;
    if (watches.size >= mostWatches) {
      fail(new Error(`failed to watch ${directory}: an app may watch ${mostWatches} directories at most`));
      return false;
    }
    try {
      const watcher = watch(directory, (type, name) => {
        if (flood.exceeds()) rest(directory);
        else onChange(name, type === 'rename');
      });
      watcher.on('error', fail);
      watches.set(key, watcher);
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') fail(error as Error);
    }
    return true;
  }

  /**
   * Watches before it reads, so that an entry created in between is found by one or the other. `isAgain`: because of a change.
   * Each directory then counts as another one, as a directory with thousands of them can be renamed again and again.
   */
  async function enter(directory: string, isAgain: boolean): Promise<void> {
    if (isAgain && !isResting && flood.exceeds()) rest(directory);
    const isWatched = listen(directory, directory, (name, isRename) => {
      // A directory that is removed reports its own name, as if it were one of its entries.
      const isItself = name === null || name === basename(directory);
      onEntryChange(isItself ? directory : join(directory, name), isRename);
    });
    if (!isWatched) return;
    for await (const entry of entriesOf(directory)) {
      const path = join(directory, entry.name);
      if (entry.isDirectory() && !isIgnored(path)) await enter(path, isAgain);
    }
  }

  function onEntryChange(path: string, isRename: boolean): void {
    if (isIgnored(path)) return;
    change(path);
    if (isRename) renew(path).catch(throwUncaught);
  }

  /**
   * An entry appeared, went or was replaced: a watch belongs to the directory that was there, not to its name. A link is
   * not followed, as in the first walk: it may lead to the whole file system.
   */
  async function renew(path: string): Promise<void> {
    const isDirectory = (await kindOf(path, lstat)) === 'directory';
    // Nothing is watched below what is not watched itself.
    if (watches.has(path)) watches.close(path);
    if (isDirectory) await enter(path, true);
  }

  /** A file is watched through its directory: editors replace files, and a watch would stay with the old one. */
  async function begin(path: string): Promise<void> {
    const kind = await kindOf(path);
    if (kind === 'directory') return enter(path, false);
    if (kind === undefined) return fail(new Error(`failed to watch ${path}: no such file or directory`));
    listen(dirname(path), `${path} as a file`, (name) => {
      if (name === basename(path)) change(path);
    });
  }

  return {
    /** Resolves when everything that exists is watched. */
    ready: Promise.all(paths.map((path) => begin(path))).then(() => {}),
    close() {
      isClosed = true;
      cancel?.();
      watches.closeAll();
    },
  };
}

function createFilter({ ignore, own, cwd }: WatcherOptions): (path: string) => boolean {
  const patterns = [...alwaysIgnored, ...ignore].map((pattern) => pattern.replace(/^\.\//, '').replace(/\/$/, ''));
  const matches = picomatch(patterns, { dot: true });
  const isOwn = new Set(own);
  return (path) => isOwn.has(path) || [basename(path), relative(cwd, path), path].some((form) => form && matches(form));
}

/** A large directory is read in pieces, which takes three times as long. */
async function* entriesOf(directory: string): AsyncGenerator<Dirent> {
  try {
    if (lstatSync(directory).size > largeDirectory) yield* await opendir(directory, { bufferSize: 1_000 });
    else yield* await readdir(directory, { withFileTypes: true });
  } catch {
    // The directory was removed meanwhile, or may not be read.
  }
}

/** `look`: by default, the kind of what a link leads to. */
async function kindOf(path: string, look = stat): Promise<'directory' | 'file' | undefined> {
  try {
    return (await look(path)).isDirectory() ? 'directory' : 'file';
  } catch {
    return undefined;
  }
}

/** Events within `span` milliseconds that are read. A checkout of some thousand files may exceed it, once. */
const mostEvents = 5_000;
const span = 1_000;
/** Milliseconds for which nothing is watched after a flood, doubled each time that the next flood follows at once. */
const shortestRest = 1_000;
const longestRest = 60_000;

/**
 * Notices when files change faster than anybody works on them. Whoever can write to a watched directory could otherwise keep the daemon
 * busy: libuv reads events until there are none left, without a turn of the event loop in between.
 */
export class Flood {
  readonly #clock: Clock;
  #since = Number.NEGATIVE_INFINITY;
  #count = 0;
  #rest = shortestRest;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts an event; true if it is one too many. */
  exceeds(): boolean {
    const now = this.#clock.now();
    if (now - this.#since > span) {
      this.#since = now;
      this.#count = 0;
    }
    this.#count += 1;
    return this.#count > mostEvents;
  }

  /** Milliseconds to rest now. */
  begin(): number {
    const rest = this.#rest;
    this.#rest = Math.min(rest * 2, longestRest);
    this.#since = Number.NEGATIVE_INFINITY;
    return rest;
  }

  /** The files are quiet again. */
  end(): void {
    this.#rest = shortestRest;
  }
}

/**
 * The watches of an app, by path. Whoever can write to a watched directory can rename one again and again, so what is below a path is found
 * without a look at all others.
 */
export class WatchTree {
  readonly #watches = new Map<string, FSWatcher>();
  readonly #below = new Map<string, Set<string>>();

  get size(): number {
    return this.#watches.size;
  }

  has(path: string): boolean {
    return this.#watches.has(path);
  }

  /** Replaces the watch of the path, if there is one. */
  set(path: string, watch: FSWatcher): void {
    this.#watches.get(path)?.close();
    this.#watches.set(path, watch);
    const parent = dirname(path);
    const siblings = this.#below.get(parent) ?? new Set();
    this.#below.set(parent, siblings.add(path));
  }

  /** Closes the watch of a path, and those of all directories between it and what is watched below. */
  close(path: string): void {
    const paths = [path];
    for (const each of paths) {
      paths.push(...(this.#below.get(each) ?? []));
      this.#below.delete(each);
      this.#watches.get(each)?.close();
      this.#watches.delete(each);
    }
    this.#below.get(dirname(path))?.delete(path);
  }

  closeAll(): void {
    for (const watch of this.#watches.values()) watch.close();
    this.#watches.clear();
    this.#below.clear();
  }
}
