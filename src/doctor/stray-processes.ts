// Finds processes that nsv started but no longer knows, by a variable in their environment.
import type { Snapshot } from '../daemon/process/record.ts';
import { originHere } from '../daemon/state/origin.ts';
import { findMarked, type Stray } from '../daemon/state/search.ts';
import { readSpawnLog } from '../daemon/state/spawn-log.ts';
import { commandOfProcess, isSameProcess } from '../os/proc.ts';
import type { HomePaths } from '../shared/paths.ts';
import type { StrayFacts } from './facts.ts';

export function findMarkedOf(paths: HomePaths): Stray[] {
  return findMarked(originHere(paths), readSpawnLog(paths.spawns)).ours;
}

/**
 * `marked` must be collected before `known`, or it could contain processes started in between. A process newer than the
 * state is not a stray either.
 */
export function straysAmong(marked: readonly Stray[], known: ReadonlySet<number>, snapshot?: Snapshot): StrayFacts[] {
  const written = new Set(snapshot?.groups.flatMap(({ processes }) => processes.map(({ life }) => life?.pid)));
  const newest = snapshot?.sequence ?? Number.POSITIVE_INFINITY;
  return marked
    .filter(({ pid, mark }) => !known.has(pid) && !written.has(pid) && mark.sequence <= newest)
    .filter(isSameProcess)
    .map(({ pid, mark }) => ({ pid, app: mark.app, command: commandOfProcess(pid) }));
}
