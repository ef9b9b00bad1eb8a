// Writes the pid of each process to its `pid_file`, for tools that read it.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { pidFileOf } from '../../config/pid-file.ts';
import { detailOf } from '../../shared/errors.ts';
import type { EventBus } from '../events.ts';

/** `fileOf` returns the `pid_file` setting of an app; `failed` is called for a file that cannot be written. */
export function keepPidFiles(
  events: EventBus,
  fileOf: (app: string) => string | undefined,
  failed: (app: string, detail: string) => void,
): void {
  events.subscribe((event) => {
    if (event.type !== 'started' && event.type !== 'ended') return;
    const named = fileOf(event.app);
    if (named === undefined) return;
    const file = pidFileOf(named, event.slot);
    try {
      if (event.type === 'started') writeFileSync(file, `${event.pid}\n`);
      // After a reload, the file has the pid of the new process.
      else if (readFileSync(file, 'utf8') === `${event.pid}\n`) rmSync(file);
    } catch (error) {
      if (event.type === 'started') failed(event.app, detailOf(error));
    }
  });
}
