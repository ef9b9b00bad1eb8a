// Keeps the pid of each process where `pid_file` says, for tools that look there.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { pidFileOf } from '../../config/pid-file.ts';
import { detailOf } from '../../shared/errors.ts';
import type { EventBus } from '../events.ts';

/** `fileOf`: what the settings of an app say; `failed` is told of a file that cannot be written. */
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
      // A reload has put the pid of the next process there.
      else if (readFileSync(file, 'utf8') === `${event.pid}\n`) rmSync(file);
    } catch (error) {
      if (event.type === 'started') failed(event.app, detailOf(error));
    }
  });
}
