// Records what a command is about to do, for as long as it runs.

import type { ManagedProcess } from '../process/process.ts';
import type { Intent } from '../process/record.ts';
import { isAtRest } from '../process/state.ts';
import type { Group } from './group.ts';

/** Recorded before any process ends: otherwise the next daemon would take a requested end for a failure. */
export async function withIntent(group: Group, intent: Intent, job: () => Promise<void>): Promise<void> {
  const done = group.intents.add(intent);
  try {
    await group.kept();
    await job();
  } finally {
    done();
  }
}

/** Does not wait until the intent is recorded: if the daemon dies before that, nothing has happened yet. */
export async function withStartIntent(group: Group, slots: number[], job: () => Promise<void>): Promise<void> {
  const done = group.intents.add({ kind: 'start', slots });
  try {
    await job();
  } finally {
    done();
  }
}

export function slotsOf(processes: readonly ManagedProcess[]): number[] {
  return processes.map(({ slot }) => slot);
}

/** Those of the slots in which nothing runs. */
export function restingIn(group: Group, slots: readonly number[]): number[] {
  return slotsOf(group.processes.filter((process) => slots.includes(process.slot) && isAtRest(process)));
}
