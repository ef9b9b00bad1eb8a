// CPU and memory of each process over the last minute.
import type { ProcessView } from '../ipc/views.ts';

export interface Figures {
  cpu: readonly number[];
  memory: readonly number[];
}

/** By the id of the process, oldest first, one figure for each list. */
export type UsageHistory = ReadonlyMap<number, Figures>;

/** The list is asked for each second. */
export const mostFigures = 60;

/** Forgets the processes that are not there any more. Nothing is known of one that does not run: as if it used nothing. */
export function withFigures(history: UsageHistory, processes: readonly ProcessView[]): UsageHistory {
  return new Map(
    processes.map(({ id, cpu, memory }) => {
      const before = history.get(id) ?? { cpu: [], memory: [] };
      return [id, { cpu: lastOf(before.cpu, cpu ?? 0), memory: lastOf(before.memory, memory ?? 0) }];
    }),
  );
}

function lastOf(before: readonly number[], now: number): readonly number[] {
  return [...before, now].slice(-mostFigures);
}
