// Finds apps that are started while logs are followed, by polling the daemon.
import type { LogFilesView } from '../../ipc/views.ts';
import type { Clock } from '../../shared/clock.ts';
import { throwUncaught } from '../../shared/throw-uncaught.ts';

/** Milliseconds from an answer to the next request. */
const pause = 1_500;

/** Polls until the process ends. Ignores failures: the daemon may restart, and a target may match nothing for now. */
export function lookForNewApps(
  clock: Clock,
  ask: () => Promise<LogFilesView[] | undefined>,
  found: (views: LogFilesView[]) => void | Promise<void>,
): void {
  clock.after(pause, () => {
    ask()
      .then((views) => found(views ?? []))
      .then(() => lookForNewApps(clock, ask, found))
      .catch(throwUncaught);
  });
}
