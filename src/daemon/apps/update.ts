// Gives an app that is there other settings.
import type { AppSpec, FieldName } from '../../config/app-spec.ts';
import { differingSettings } from '../../config/difference.ts';
import type { Report } from '../../ipc/protocol.ts';
import type { Group } from './group.ts';
import * as operations from './operations.ts';
import { everything } from './registry.ts';

/** Its sockets are shared by these from the first start on: an app in which they change has to start anew. */
const lasting: readonly FieldName[] = ['node', 'schedule', 'listen'];

export interface Update {
  app: AppSpec;
  how: 'restart' | 'reload';
  parallel: number;
}

export function needsNewGroup(before: AppSpec, after: AppSpec): boolean {
  return differingSettings(before, after).some((name) => lasting.includes(name));
}

/** Replaces the processes by the way asked for, then makes them as many as there are to be. */
export async function update(group: Group, { app, how, parallel }: Update, report: Report): Promise<void> {
  const { instances, ...settings } = app;
  if (how === 'reload') await operations.reload(everything(group), { settings, parallel }, report);
  else await operations.restart(everything(group), undefined, report, settings);
  if (instances !== group.spec.instances) await operations.scale(group, instances, report);
}
