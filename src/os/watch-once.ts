// Waits for the next change in directories.
import { type FSWatcher, watch } from 'node:fs';

/**
 * Calls `changed` once, at the first change of an entry that `isMeant`; the caller may then watch anew. So a directory full of
 * changes costs no more than one. Throws the system's error if a directory cannot be watched. The returned function ends it.
 */
export function watchOnce(
  directories: Iterable<string>,
  changed: () => void,
  isMeant: (directory: string, name: string | null) => boolean = () => true,
): () => void {
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
    for (const directory of directories) {
      const watcher = watch(directory, { persistent: false }, (_, name) => isMeant(directory, name) && onChange());
      watchers.push(watcher);
      watcher.on('error', onChange);
    }
  } catch (error) {
    close();
    throw error;
  }
  return close;
}
