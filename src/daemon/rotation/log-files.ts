// The log files of all apps, with their writers and settings.
import type { AppSpec } from '../../config/app-spec.ts';
import type { Descriptor } from '../../ipc/rotator-messages.ts';
import type { AppUser } from '../../privileges/privileges.ts';
import { isDevice } from '../../shared/log-file.ts';
import type { Group } from '../apps/group.ts';
import type { LaunchPlan } from '../launch/launcher.ts';
import { allFiles } from '../output/streams.ts';
import type { ManagedProcess } from '../process/process.ts';

export interface LogFile {
  file: string;
  /** The settings of the app; if several share the file, those of the one that was started first. */
  spec: AppSpec;
  /** All log files of that app that have the same owner. */
  family: string[];
  /** The user of the app, if that user could replace the file: it is rotated with that user's rights. */
  owner: AppUser | undefined;
  /** Whether an app of another user writes to it. */
  isForeign: boolean;
  /** Descriptors of the file in the processes that were started with it. */
  descriptors: Descriptor[];
}

/** All log files, each once. */
export function logFilesOf(groups: readonly Group[]): Map<string, LogFile> {
  const found = new Map<string, LogFile>();
  for (const group of groups) {
    const families = new Map<string, string[]>();
    for (const process of group.all) {
      const plan = planOf(group, process);
      for (const file of filesIn(plan)) {
        const owner = plan.isUserFile?.(file) ? plan.spec : undefined;
        const family = families.get(keyOf(owner)) ?? [];
        families.set(keyOf(owner), family);
        if (!family.includes(file)) family.push(file);
        const known = found.get(file) ?? { file, spec: group.spec, family, descriptors: [], owner, isForeign: false };
        known.descriptors.push(...descriptorsOf(process, file));
        known.owner ??= owner;
        known.isForeign ||= plan.isUserFile !== undefined;
        found.set(file, known);
      }
    }
  }
  return found;
}

/** Tells owners apart. */
export function keyOf(owner: AppUser | undefined): string {
  return owner ? `${owner.uid}:${owner.gid ?? ''}` : '';
}

function descriptorsOf({ child }: ManagedProcess, file: string): Descriptor[] {
  if (!child) return [];
  const { pid, plan } = child;
  return [plan.outFile, plan.errorFile].flatMap((outlet, index) => (outlet === file ? [{ pid, fd: index + 1 }] : []));
}

/** The log files the process was started with, or would be started with. Devices are left out. */
export function filesOf(group: Group, process: ManagedProcess): string[] {
  return filesIn(planOf(group, process));
}

function planOf(group: Group, process: ManagedProcess): LaunchPlan {
  return process.child?.plan ?? group.plan(process);
}

function filesIn(plan: LaunchPlan): string[] {
  return [...new Set(allFiles(plan))].filter((file) => !isDevice(file));
}
