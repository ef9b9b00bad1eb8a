// What a command is about to bring about, as long as it is at work.

import type { ManagedProcess } from '../process/process.ts';
import type { Intent } from '../process/record.ts';
import { type Group, isAtRest } from './group.ts';

/** Written down before anything ends: else the next daemon would take what was asked to end for what has failed. */
export async function withIntent(group: Group, intent: Intent, job: () => Promise<void>): Promise<void> {
  const done = group.intents.add(intent);
  try {
    await group.kept();
    await job();
  } finally {
    done();
  }
}

/** What is to start and does not run is written down soon enough: until then nothing has happened. */
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
