// Waits for the next change in some directories, so that quiet log files need not be polled.
import { type FSWatcher, watch } from 'node:fs';

/**
 * Calls `stirred` once, at the first change of any file in one of the directories; the returned function stops
 * watching. Returns undefined if they cannot be watched (too many watches, no such directory).
 */
export function onNextChange(directories: Iterable<string>, changed: () => void): (() => void) | undefined {
  const watchers: FSWatcher[] = [];
  const close = () => {
    for (const watcher of watchers.splice(0)) watcher.close();
  };
  const end = () => {
    if (watchers.length === 0) return;
    close();
    changed();
  };
  try {
    for (const directory of directories) {
      const watcher = watch(directory, { persistent: false }, end);
      watcher.on('error', end);
      watchers.push(watcher);
    }
    return close;
  } catch {
    close();
    return undefined;
  }
}
