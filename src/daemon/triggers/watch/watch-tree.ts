// The watches of an app, by path.
import type { FSWatcher } from 'node:fs';
import { dirname } from 'node:path';

/** Whoever can write to a watched directory can rename one again and again, so what is below a path is found without a look at all others. */
export class WatchTree {
  readonly #watches = new Map<string, { watch: FSWatcher; identity: string }>();
  readonly #below = new Map<string, Set<string>>();

  get size(): number {
    return this.#watches.size;
  }

  /** What tells the directory that is watched there from others of its path; undefined if none is. */
  identityOf(path: string): string | undefined {
    return this.#watches.get(path)?.identity;
  }

  /** Replaces the watch of the path, if there is one. */
  set(path: string, watch: FSWatcher, identity: string): void {
    this.#watches.get(path)?.watch.close();
    this.#watches.set(path, { watch, identity });
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
      this.#watches.get(each)?.watch.close();
      this.#watches.delete(each);
    }
    this.#below.get(dirname(path))?.delete(path);
  }

  closeAll(): void {
    for (const { watch } of this.#watches.values()) watch.close();
    this.#watches.clear();
    this.#below.clear();
  }
}
