// The log files of all apps, with their writers and settings.
import type { AppSpec } from '../../config/app-spec.ts';
import type { Descriptor } from '../../ipc/rotator-messages.ts';
import { isDevice } from '../../shared/log-file.ts';
import type { Group } from '../apps/group.ts';
import { filesAmong } from '../output/streams.ts';
import type { ManagedProcess } from '../process/process.ts';

export interface LogFile {
  file: string;
  /** The settings of the app; if several share the file, those of the one that was started first. */
  spec: AppSpec;
  /** All log files of that app. */
  family: string[];
  /** Descriptors of the file in the processes that were started with it. */
  descriptors: Descriptor[];
}

/** All log files, each once. */
export function logFilesOf(groups: readonly Group[]): Map<string, LogFile> {
  const found = new Map<string, LogFile>();
  for (const group of groups) {
    const family = [...new Set(group.all.flatMap((process) => filesOf(group, process)))];
    for (const process of group.all) {
      for (const file of filesOf(group, process)) {
        const known = found.get(file) ?? { file, spec: group.spec, family, descriptors: [] };
        known.descriptors.push(...descriptorsOf(process, file));
        found.set(file, known);
      }
    }
  }
  return found;
}

function descriptorsOf({ child }: ManagedProcess, file: string): Descriptor[] {
  if (!child) return [];
  const { pid, plan } = child;
  return [plan.outFile, plan.errorFile].flatMap((outlet, index) => (outlet === file ? [{ pid, fd: index + 1 }] : []));
}

/** The log files the process was started with, or would be started with. Devices are left out. */
export function filesOf(group: Group, process: ManagedProcess): string[] {
  const { outFile, errorFile } = process.child?.plan ?? group.plan(process);
  return [...new Set(filesAmong([outFile, errorFile]))].filter((file) => !isDevice(file));
}
