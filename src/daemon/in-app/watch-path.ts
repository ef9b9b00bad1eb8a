// Notices when a path leads to another file, or its content changes. A file is not watched itself, because editors replace it. Nor
// only its directory: that of a release is reached through a link that is switched, a mounted ConfigMap through two, and
// either may be missing for a while.
import { lstatSync, readlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { watchOnce } from '../../os/watch-once.ts';

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

/** As `watchOnce`. At the first change another file may be meant, so the caller watches anew. */
export function watchPath(path: string, changed: () => void): () => void {
  const entries = decisiveEntries(path);
  // A directory that is moved or removed reports its own name.
  const isMeant = (directory: string, name: string | null) =>
    name === null || name === basename(directory) || entries.get(directory)?.has(name) === true;
  return watchOnce(entries.keys(), changed, isMeant);
}
