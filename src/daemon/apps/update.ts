// Applies new settings to an existing app.
import type { AppSpec, FieldName } from '../../config/app-spec.ts';
import { differingSettings } from '../../config/difference.ts';
import type { Report } from '../../ipc/protocol.ts';
import type { Group } from './group.ts';
import * as operations from './operations.ts';
import { everything } from './registry.ts';

/** These settings decide from the first start on how the app shares its sockets: changing one requires a new group. */
const lasting: readonly FieldName[] = ['node', 'schedule', 'listen'];

export interface Update {
  app: AppSpec;
  how: 'restart' | 'reload';
  parallel: number;
}

export function needsNewGroup(before: AppSpec, after: AppSpec): boolean {
  return differingSettings(before, after).some((name) => lasting.includes(name));
}

/** Replaces the processes by restart or reload as asked for, then adjusts the number of instances. */
export async function update(group: Group, { app, how, parallel }: Update, report: Report): Promise<void> {
  const { instances, ...settings } = app;
  if (how === 'reload') await operations.reload(everything(group), { settings, parallel }, report);
  else await operations.restart(everything(group), undefined, report, settings);
  if (instances !== group.spec.instances) await operations.scale(group, instances, report);
}
