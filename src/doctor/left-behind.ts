// Finds processes that nsv started but no longer knows, by a variable in their environment, and daemons whose home was deleted or renamed
// under them: commands do not reach these.
import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Snapshot } from '../daemon/process/record.ts';
import type { UnrecordedProcess } from '../daemon/state/search.ts';
import { allStats, commandOfProcess, isSameProcess, openFilesOf, variableOfProcess } from '../os/proc.ts';
import type { HomePaths } from '../shared/paths.ts';
import type { FormerDaemon, StrayFacts } from './facts.ts';

/**
 * `marked` must be collected before `known`, or it could contain processes started in between. A process newer than the
 * state is not a stray either.
 */
export function straysAmong(
  marked: readonly UnrecordedProcess[],
  known: ReadonlySet<number>,
  snapshot?: Snapshot,
): StrayFacts[] {
  const written = new Set(snapshot?.groups.flatMap(({ processes }) => processes.map(({ identity }) => identity?.pid)));
  const newest = snapshot?.sequence ?? Number.POSITIVE_INFINITY;
  return marked
    .filter(({ pid, mark }) => !known.has(pid) && !written.has(pid) && mark.sequence <= newest)
    .filter(isSameProcess)
    .map(({ pid, mark }) => ({ pid, app: mark.app, command: commandOfProcess(pid) }));
}

/** The daemons whose directory lay at the path of this home: they hold it and their log open, and the kernel knows where these are now. */
export function findFormer(paths: HomePaths): FormerDaemon[] {
  const home = realPathOf(paths.home);
  return allStats().flatMap(({ pid, alive }) => {
    const files = alive ? openFilesOf(pid) : [];
    if (files.includes(`${home} (deleted)`)) return { pid };
    const log = files.find((file) => basename(file) === basename(paths.log) && dirname(file) !== home);
    if (log === undefined || realPathOf(variableOfProcess(pid, 'NSV_HOME') ?? '') !== home) return [];
    return { pid, renamedTo: dirname(log) };
  });
}

/** Without symbolic links on the way, as the kernel reports it. The directory itself may be gone. */
function realPathOf(home: string): string {
  try {
    return join(realpathSync(dirname(home)), basename(home));
  } catch {
    return home;
  }
}
