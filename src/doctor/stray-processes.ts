// Processes that nsv has started once and knows nothing of: found by the mark in their environment.
import { readFileSync } from 'node:fs';
import type { Snapshot } from '../daemon/process/record.ts';
import { originHere } from '../daemon/state/origin.ts';
import { findMarked, type Stray } from '../daemon/state/search.ts';
import { isSameProcess } from '../os/proc.ts';
import type { HomePaths } from '../shared/paths.ts';
import type { StrayFacts } from './facts.ts';

export function findMarkedOf(paths: HomePaths): Stray[] {
  return findMarked(originHere(paths).home);
}

/**
 * `marked`: found before `known` was asked for, so that what was started in between is not among them. What the state has
 * not heard of yet is no stray either.
 */
export function straysAmong(marked: readonly Stray[], known: ReadonlySet<number>, snapshot?: Snapshot): StrayFacts[] {
  const written = new Set(snapshot?.groups.flatMap(({ processes }) => processes.map(({ life }) => life?.pid)));
  const newest = snapshot?.sequence ?? Number.POSITIVE_INFINITY;
  return marked
    .filter(({ pid, mark }) => !known.has(pid) && !written.has(pid) && mark.sequence <= newest)
    .filter(isSameProcess)
    .map(({ pid, mark }) => ({ pid, app: mark.app, command: commandOf(pid) }));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}
