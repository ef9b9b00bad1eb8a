// The files that nsv writes for its apps outside of its home, or that apps write for it.
import { pidFileOf } from '../../config/pid-file.ts';
import type { Group } from '../apps/group.ts';
import { filesOf } from '../rotation/log-files.ts';

/** Logs and pid files, as the settings name them. */
export function writtenFilesOf(groups: readonly Group[]): string[] {
  return groups.flatMap((group) =>
    group.all.flatMap((process) => {
      const { pidFile } = group.spec;
      const logs = filesOf(group, process);
      return pidFile === undefined ? logs : [...logs, pidFileOf(pidFile, process.slot)];
    }),
  );
}
