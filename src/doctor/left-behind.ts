// Finds processes that nsv started but no longer knows, by a variable in their environment, and daemons whose home was deleted under
// them: no command reaches these, and they hold their home open.
import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Snapshot } from '../daemon/process/record.ts';
import type { UnrecordedProcess } from '../daemon/state/search.ts';
import { allStats, commandOfProcess, holdsOpen, isSameProcess } from '../os/proc.ts';
import type { HomePaths } from '../shared/paths.ts';
import type { StrayFacts } from './facts.ts';

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

/** Pids of the processes that hold a deleted directory open that lay at the path of this home. */
export function findFormer(paths: HomePaths): number[] {
  const deleted = `${realPathOf(paths.home)} (deleted)`;
  return allStats()
    .filter(({ pid, alive }) => alive && holdsOpen(pid, deleted))
    .map(({ pid }) => pid);
}

/** Without symbolic links on the way, as the kernel reports it. The directory itself may be gone. */
function realPathOf(home: string): string {
  try {
    return join(realpathSync(dirname(home)), basename(home));
  } catch {
    return home;
  }
}
