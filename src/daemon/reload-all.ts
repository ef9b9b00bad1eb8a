// What SIGHUP means where no terminal has hung up: a reload.
import { detailOf } from '../shared/errors.ts';
import type { Daemon } from './daemon.ts';
import type { Logger } from './logger.ts';

/** Reloads what runs; what is stopped or has ended stays so. */
export function reloadAll({ registry, handlers }: Daemon, logger: Logger): void {
  const targets = registry.groups.filter(({ isActive }) => isActive).map(({ name }) => name);
  if (targets.length === 0) return;
  Promise.resolve(handlers.reload({ targets, parallel: 1, runningOnly: true }, () => {})).catch((error) =>
    logger.error({ detail: detailOf(error) }, 'reload failed'),
  );
}
