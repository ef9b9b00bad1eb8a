// Which log files there are, who writes to them, and what is to become of them.
import type { AppSpec } from '../../config/app-spec.ts';
import type { Group } from '../group.ts';
import { filesAmong } from '../output/streams.ts';
import type { ManagedProcess } from '../process.ts';

export interface LogFile {
  file: string;
  /** The settings of the app that was started first, where several share the file. */
  spec: AppSpec;
  /** All files of that app. */
  family: string[];
  /** Pids of the processes that were started with it. */
  writers: number[];
}

/** Each file once. */
export function logFilesOf(groups: readonly Group[]): Map<string, LogFile> {
  const found = new Map<string, LogFile>();
  for (const group of groups) {
    const family = [...new Set(group.all.flatMap((process) => filesOf(group, process)))];
    for (const process of group.all) {
      for (const file of filesOf(group, process)) {
        const known = found.get(file) ?? { file, spec: group.spec, family, writers: [] };
        if (process.child) known.writers.push(process.child.pid);
        found.set(file, known);
      }
    }
  }
  return found;
}

/** Those it was started with; or those it would be. Devices are none. */
export function filesOf(group: Group, process: ManagedProcess): string[] {
  const { outFile, errorFile } = process.child?.plan ?? group.plan(process);
  return filesAmong([outFile, errorFile]).filter((file) => !file.startsWith('/dev/'));
}
