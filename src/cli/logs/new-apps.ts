// What is started while logs are followed: the daemon is asked again now and then.
import type { LogFilesView } from '../../ipc/views.ts';
import type { Clock } from '../../shared/clock.ts';
import { throwUncaught } from '../../shared/throw-uncaught.ts';

/** Milliseconds from an answer to the next question. */
const pause = 1_500;

/**
 * Until the process ends. No answer is no news: a daemon may go away and come back, and a target may select nothing for a
 * while.
 */
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
