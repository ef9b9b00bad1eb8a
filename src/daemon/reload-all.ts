// The reload on SIGHUP, for a daemon in the foreground: there it does not mean that a terminal has hung up.
import { detailOf } from '../shared/errors.ts';
import type { Daemon } from './daemon.ts';
import type { Logger } from './logger.ts';

/** Reloads the running apps; stopped and ended ones stay as they are. */
export function reloadAll({ registry, handlers, events }: Daemon, logger: Logger): void {
  const targets = registry.groups.filter(({ isActive }) => isActive).map(({ name }) => name);
  if (targets.length === 0) return;
  events.emit({ type: 'command', method: 'reload', apps: targets, by: { signal: 'SIGHUP' } });
  Promise.resolve(handlers.reload({ targets, parallel: 1, runningOnly: true }, () => {})).catch((error) =>
    logger.error({ detail: detailOf(error) }, 'reload failed'),
  );
}
