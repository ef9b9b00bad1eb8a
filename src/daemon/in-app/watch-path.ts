// Notices when a path leads to another file, or its content changes. A file is not watched itself, because editors replace it. Nor
// only its directory: that of a release is reached through a link that is switched, a mounted ConfigMap through two, and
// either may be missing for a while.
import { type FSWatcher, lstatSync, readlinkSync, watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** As many as Linux follows: path_resolution(7). */
const mostLinks = 40;

/** The directories on the way in which an entry decides what the path leads to, and the names of those entries. */
export function decisiveEntries(path: string): Map<string, Set<string>> {
  const entries = new Map<string, Set<string>>();
  const decides = (entry: string) => {
    const names = entries.get(dirname(entry)) ?? new Set();
    entries.set(dirname(entry), names.add(basename(entry)));
  };
  let at = '/';
  let links = 0;
  let rest = path.split('/');
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    const next = join(at, name);
    const isLast = rest.every((word) => word === '');
    const target = next === at ? undefined : targetOf(next);
    if (target === null) {
      decides(next);
      break;
    }
    if (target === undefined) {
      if (isLast) decides(next);
      at = next;
      continue;
    }
    decides(next);
    links += 1;
    if (links > mostLinks) break;
    if (target.startsWith('/')) at = '/';
    rest = [...target.split('/'), ...rest];
  }
  return entries;
}

/** Of a link; undefined for anything else, and null if nothing is there. */
function targetOf(path: string): string | undefined | null {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats) return null;
    return stats.isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return null;
  }
}

/**
 * Calls `changed` once, at the first change; the caller then watches anew, since another file may be meant. So a directory full of
 * changes costs no more than one. Throws the system's error if nothing can be watched. The returned function ends it.
 */
export function watchPath(path: string, changed: () => void): () => void {
  const watchers: FSWatcher[] = [];
  let isOver = false;
  const close = () => {
    isOver = true;
    for (const watcher of watchers) watcher.close();
  };
  const onChange = () => {
    if (isOver) return;
    close();
    changed();
  };
  try {
    for (const [directory, names] of decisiveEntries(path)) {
      // A directory that is moved or removed reports its own name.
      const isMeant = (name: string | null) => name === null || names.has(name) || name === basename(directory);
      const watcher = watch(directory, (_, name) => isMeant(name) && onChange());
      watchers.push(watcher);
      watcher.on('error', onChange);
    }
  } catch (error) {
    close();
    throw error;
  }
  return close;
}
