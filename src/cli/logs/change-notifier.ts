// Waits until files should be checked again: after a notification or a timeout.
import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Clock } from '../../shared/clock.ts';

/**
 * Milliseconds until a check without a notification: some file systems send none, changes between a rename and the next
 * watch are missed, and the number of watches is limited.
 */
const patience = 500;

/** Events about other files in the directory; beyond this number, handling them costs more than checking. */
const mostInVain = 50;

/** Resolves when one of the files has changed, or after half a second. Meanwhile, only the watches cost anything. */
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
    // Without a watch, the file is checked after the timeout.
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
