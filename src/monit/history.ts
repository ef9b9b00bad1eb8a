// CPU and memory of each process over the last minute.
import type { ProcessView } from '../ipc/views.ts';

export interface Figures {
  cpu: readonly number[];
  memory: readonly number[];
}

/** By process id, oldest first, one value for each list received. */
export type UsageHistory = ReadonlyMap<number, Figures>;

/** The list is requested every second. */
export const mostFigures = 60;

/** Forgets processes that no longer exist. A process that is not running counts as using nothing. */
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
