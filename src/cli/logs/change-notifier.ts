// Tells when it is worth to look at files again: the system says so, or some time has passed.
import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Clock } from '../../shared/clock.ts';

/**
 * Milliseconds after which a look is due though nothing was told: not all file systems tell, none tells what happens between a
 * rename and the next watch, and there may be more directories than may be watched.
 */
const patience = 500;

/** Events about other files of the directory: more of them cost more than looks do. */
const mostInVain = 50;

/** Resolves when one of the files has changed, at the latest after half a second. Costs nothing but the watches meanwhile. */
export function rung(files: Iterable<string>, clock: Clock): Promise<void> {
  const watchers: FSWatcher[] = [];
  return new Promise<void>((resolve) => {
    const cancel = clock.after(patience, ring);
    function ring(): void {
      cancel();
      closeAll(watchers);
      resolve();
    }
    let inVain = 0;
    for (const [directory, names] of byDirectory(files)) {
      watchIn(directory, watchers, (name) => {
        if (name === null || names.has(name)) return ring();
        inVain += 1;
        if (inVain === mostInVain) closeAll(watchers);
      });
    }
  });
}

function watchIn(directory: string, watchers: FSWatcher[], told: (name: string | null) => void): void {
  try {
    watchers.push(watch(directory, (_, name) => told(name)).on('error', () => {}));
  } catch {
    // It is looked at all the same, a little later.
  }
}

function closeAll(watchers: FSWatcher[]): void {
  for (const watcher of watchers.splice(0)) watcher.close();
}

function byDirectory(files: Iterable<string>): Map<string, Set<string>> {
  const directories = new Map<string, Set<string>>();
  for (const file of files) {
    const names = directories.get(dirname(file)) ?? new Set();
    directories.set(dirname(file), names.add(basename(file)));
  }
  return directories;
}
