// Applies new settings to an existing app.
import type { AppSpec } from '../../config/app-spec.ts';
import type { Report } from '../../ipc/protocol.ts';
import type { Group } from './group.ts';
import * as operations from './operations.ts';
import { everything } from './registry.ts';

export interface Update {
  app: AppSpec;
  how: 'restart' | 'reload';
  parallel: number;
}

/** Replaces the processes by restart or reload as asked for, then adjusts the number of instances. */
export async function update(group: Group, { app, how, parallel }: Update, report: Report): Promise<void> {
  const { instances, ...settings } = app;
  if (how === 'reload') await operations.reload(everything(group), { settings, parallel }, report);
  else await operations.restart(everything(group), undefined, report, settings);
  if (instances !== group.spec.instances) await operations.scale(group, instances, report);
}
