// By what the next daemon knows a process again.
import type { Child } from './launcher.ts';

export interface Life {
  pid: number;
  /** Clock ticks since boot. */
  startTime: number;
  /** What its environment says of it (mark.ts). */
  mark: string;
  /** Its log files. Absent: those that its settings name. */
  outFile?: string;
  errorFile?: string;
}

/** Null for what cannot be known again: no mark, no start time, or output that goes through the daemon. */
export function lifeOf({ pid, startTime, plan }: Child): Life | null {
  const { mark, outFile, errorFile } = plan;
  if (mark === undefined || startTime === undefined) return null;
  if (typeof outFile !== 'string' || typeof errorFile !== 'string') return null;
  return { pid, startTime, mark, outFile, errorFile };
}
