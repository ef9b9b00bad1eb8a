// Reports changes of the files of an app.
import { lstatSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, relative } from 'node:path';
import { type Clock, nextSecond } from '../../../shared/clock.ts';
import { throwUncaught } from '../../../shared/throw-uncaught.ts';
import { Flood, mostEvents } from './flood.ts';
import { createFilter, exceptionOf } from './patterns.ts';
import { isIn, isMeant, nameIn, type Place, placeOf } from './places.ts';
import { TreeWatch } from './tree-watch.ts';

export interface WatcherOptions {
  /** Absolute paths of files, of directories, which are watched with everything below them, and globs of both. They may come to exist later. */
  paths: readonly string[];
  /** Names, paths relative to `cwd` or absolute, and globs. */
  ignore: readonly string[];
  /** Files whose changes are ignored, by real path. */
  own: { has(path: string): boolean };
  cwd: string;
  /** Milliseconds without a further change after which `onChange` is called. */
  delay: number;
  clock: Clock;
  /**
   * Called with the files of a burst of changes, at least one, in the order in which they were noticed. `since`: when the first one
   * changed, by the clock.
   */
  onChange(files: string[], since: number): void;
  /**
   * Called once if something cannot be watched (too many watches); the rest is still watched. Also called for each path that does not
   * exist yet, and if there are too many changes at a time, so that nothing is watched for a while; with null when that is over.
   */
  onProblem(detail: string | null, path?: string): void;
}

/** Files of a burst. Nobody is told about more. */
const mostFiles = 1_000;
/** Milliseconds after which a burst is reported although it goes on, if not ten delays: an app may write a file all the time. */
const longestBurst = 5_000;
/** Milliseconds by which the time of a file may be behind: the kernel takes that of its last tick. */
const longestTick = 20;

export class Watcher {
  /** Resolves when everything that exists is watched. */
  readonly ready: Promise<void>;
  readonly #options: WatcherOptions;
  readonly #paths: readonly string[];
  readonly #matchesIgnored: (forms: readonly string[]) => boolean;
  readonly #flood: Flood;
  readonly #tree: TreeWatch;
  #places: readonly Place[] | undefined;
  #realCwd: string;
  /** Places that are no longer what they were, whatever is there now: the number of a removed inode is soon used again. */
  #left = new Set<string>();
  readonly #burst = new Set<string>();
  #looks = Promise.resolve();
  #cancelLook = () => {};
  /** Undefined unless a burst is under way. */
  #cancelReport: (() => void) | undefined;
  #burstBegan = 0;
  #cancelRest: (() => void) | undefined;
  #hasFailed = false;
  /** Paths that have led nowhere so far. */
  #missing: string[] = [];
  /** Wall time up to which all changes have been noticed. */
  #upToDate = 0;
  /** The same before a flood, until it is known what has changed since. */
  #beforeFlood: number | undefined;
  #isClosed = false;

  constructor(options: WatcherOptions) {
    const { paths, ignore, cwd, clock } = options;
    this.#options = options;
    this.#realCwd = cwd;
    const watched = paths.filter((path) => exceptionOf(path, cwd) === undefined);
    this.#paths = watched.length > 0 ? watched : [cwd];
    this.#matchesIgnored = createFilter([...ignore, ...paths.flatMap((path) => exceptionOf(path, cwd) ?? [])]);
    this.#flood = new Flood(clock);
    this.#tree = new TreeWatch({
      flood: this.#flood,
      isIgnored: (path) => this.#isIgnored(path),
      changed: (path, isTree) => {
        if (this.#counts(path, isTree)) this.#change(path);
      },
      left: (path) => {
        this.#left.add(path);
        this.#look().catch(throwUncaught);
      },
      flooded: () => this.#rest(),
      failed: ({ message }) => this.#fail(message),
    });
    this.ready = this.#look();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelLook();
    this.#cancelReport?.();
    this.#cancelRest?.();
    this.#tree.closeAll();
  }

  /** Looks where the paths lead now, one look after another. */
  #look(): Promise<void> {
    this.#looks = this.#looks.then(() => this.#follow());
    return this.#looks;
  }

  /**
   * A watch tells what happens in a directory, and not that its path leads to another one: links and directories anywhere on the way may
   * be replaced. To look takes a few system calls; to watch every directory on the way may cost whatever happens in /tmp.
   */
  async #follow(): Promise<void> {
    this.#cancelLook();
    const left = this.#left;
    this.#left = new Set();
    const { cwd, clock } = this.#options;
    const begin = clock.wall();
    const found = await Promise.all(this.#paths.map((path) => placeOf(path, cwd)));
    const realCwd = await realpath(cwd).catch(() => cwd);
    if (this.#isClosed || this.#cancelRest) return;
    const places = found.flatMap((place) => place ?? []);
    const known = new Set(this.#places?.map(({ identity }) => identity));
    const added = places.filter(({ identity, real }) => !known.has(identity) || left.has(real));
    const isFirst = this.#places === undefined;
    this.#places = places;
    this.#realCwd = realCwd;
    const since = this.#beforeFlood;
    if (added.length > 0 || since !== undefined) {
      this.#tree.closeAll();
      const withFiles = await Promise.all(places.map((place) => this.#enter(place, since)));
      if (this.#isClosed || this.#cancelRest) return;
      this.#beforeFlood = undefined;
      if (since !== undefined) this.#options.onProblem(null, cwd);
      if (!isFirst) for (const place of withFiles) if (place && added.includes(place)) this.#change(place.real);
    }
    this.#reportMissing(this.#paths.filter((path, at) => !found[at] && (isFirst || this.#missing.includes(path))));
    // The event loop has turned since, and with it what had happened by then was noticed.
    this.#upToDate = begin;
    this.#cancelLook();
    this.#cancelLook = nextSecond(clock, () => this.#look().catch(throwUncaught));
  }

  #reportMissing(missing: string[]): void {
    for (const path of this.#missing) if (!missing.includes(path)) this.#options.onProblem(null, path);
    for (const path of missing)
      if (!this.#missing.includes(path))
        this.#options.onProblem(`${path} does not exist: its changes will be noticed once it does`, path);
    this.#missing = missing;
  }

  /** Returns the place if there is a file in it that counts. `since`: a wall time; what has changed later is a change. */
  async #enter(place: Place, since: number | undefined): Promise<Place | undefined> {
    const { real, isDirectory } = place;
    let isEmpty = true;
    const found = (path: string) => {
      if ((!isEmpty && since === undefined) || !this.#counts(path, false)) return;
      isEmpty = false;
      if (since !== undefined && changedAt(path) > since - longestTick) this.#change(path);
    };
    if (isDirectory) await this.#tree.follow(real, found);
    else this.#tree.followFile(real);
    if (!isDirectory) found(real);
    return isEmpty ? undefined : place;
  }

  #change(path: string): void {
    const { clock, delay } = this.#options;
    if (this.#burst.size === 0) this.#burstBegan = clock.now();
    if (this.#burst.size < mostFiles) this.#burst.add(path);
    this.#cancelReport?.();
    this.#cancelReport = clock.after(Math.min(delay, this.#patience), () => this.#report().catch(throwUncaught));
  }

  /** Milliseconds for which the burst may still go on. */
  get #patience(): number {
    const { clock, delay } = this.#options;
    return Math.max(0, this.#burstBegan + Math.max(longestBurst, 10 * delay) - clock.now());
  }

  /** Looks again first: what was removed with its place is no change before that is back. */
  async #report(): Promise<void> {
    this.#cancelReport = undefined;
    if (!this.#cancelRest) await this.#look();
    // What the look has found is a part of the burst.
    if (this.#isClosed || (this.#cancelReport && this.#patience > 0)) return;
    const files = [...this.#burst].flatMap((path) => {
      const place = this.#placeOf(path, true);
      return place && !this.#isIgnored(path) ? [nameIn(place, path)] : [];
    });
    this.#burst.clear();
    if (files.length > 0) this.#options.onChange(files, this.#burstBegan);
  }

  /** What changes meanwhile is not missed: the files are looked at once they are watched again. */
  #rest(): void {
    const { clock, cwd, onProblem } = this.#options;
    const problem = `more than ${mostEvents} changes within a second: changes are noticed later, as one`;
    onProblem(problem, cwd);
    this.#beforeFlood ??= this.#upToDate;
    this.#tree.closeAll();
    this.#cancelLook();
    this.#cancelRest?.();
    this.#cancelRest = clock.after(this.#flood.begin(), () => {
      this.#cancelRest = undefined;
      this.#look().catch(throwUncaught);
    });
  }

  #fail(message: string): void {
    if (!this.#hasFailed && !this.#isClosed) this.#options.onProblem(message);
    this.#hasFailed = true;
  }

  /** The first place that means the path, or that it is in: `isTree`. */
  #placeOf(path: string, isTree: boolean): Place | undefined {
    return this.#places?.find((place) => isIn(place, path) && (isTree || isMeant(place, path)));
  }

  /** Whether it is a change of a path that is watched. `isTree`: of a directory above such a path. */
  #counts(path: string, isTree: boolean): boolean {
    return this.#placeOf(path, isTree) !== undefined && !this.#isIgnored(path);
  }

  #isIgnored(path: string): boolean {
    const { own, cwd } = this.#options;
    if (own.has(path)) return true;
    const place = this.#placeOf(path, true);
    const named = place ? nameIn(place, path) : path;
    return this.#matchesIgnored([basename(path), relative(cwd, named), named, relative(this.#realCwd, path), path]);
  }
}

/** Wall time; 0 if nothing is there. */
function changedAt(path: string): number {
  try {
    return lstatSync(path).ctimeMs;
  } catch {
    return 0;
  }
}
