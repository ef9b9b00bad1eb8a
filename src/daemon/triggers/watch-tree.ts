// The watches of an app, by path. Whoever can write to a watched directory can rename one again and again, so what is below a
// path is found without a look at all others.
import type { FSWatcher } from 'node:fs';
import { dirname } from 'node:path';

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
