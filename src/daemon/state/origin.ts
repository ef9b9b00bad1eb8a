// Where this daemon runs, and whether a snapshot belongs to the same place.
import { statSync } from 'node:fs';
import { machineId } from '../../os/lock/holder.ts';
import { whereabouts } from '../../os/proc.ts';
import type { HomePaths } from '../../shared/paths.ts';
import type { StateOrigin } from '../process/record.ts';

export function originHere({ home }: Pick<HomePaths, 'home'>): StateOrigin {
  const { dev, ino } = statSync(home);
  return {
    machine: machineId(),
    home: `${dev}-${ino}`,
    ...whereabouts(),
    uid: process.geteuid?.() ?? 0,
    pid: process.pid,
  };
}

/** Why a snapshot does not belong here; undefined if it does. A copy of a home does not copy its processes. */
export function whyForeign(theirs: StateOrigin, ours: StateOrigin): string | undefined {
  if (theirs.uid !== ours.uid) return `it belongs to user ${theirs.uid}, and this daemon runs as user ${ours.uid}`;
  if (theirs.machine && ours.machine && theirs.machine !== ours.machine) return 'it was written on another machine';
  // After a boot a file system may have another number.
  if (theirs.boot === ours.boot && theirs.home !== ours.home)
    return 'it was written in another nsv home, of which this is a copy';
  return undefined;
}

/** Whether the pids and times in a snapshot still mean what they meant when it was written. */
export function isSameRun(theirs: StateOrigin, ours: StateOrigin): boolean {
  return ours.boot !== '' && theirs.boot === ours.boot && theirs.pids === ours.pids;
}
