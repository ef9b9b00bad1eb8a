// What the next daemon needs to identify a process.
import type { Child } from './launcher.ts';

export interface Life {
  pid: number;
  /** Clock ticks since boot. */
  startTime: number;
  /** The mark in its environment (process/mark.ts). */
  mark: string;
  /** Its log files. Default: those of its settings. */
  outFile?: string;
  errorFile?: string;
  /** The file to which its lines are copied. */
  logFile?: string;
  /** Its cgroup. */
  cgroup?: string;
}

/** Null if the process cannot be identified: no mark, no start time, or its output goes through the daemon. */
export function lifeOf({ pid, startTime, plan, cgroup }: Child): Life | null {
  const { mark, outFile, errorFile, logFile } = plan;
  if (mark === undefined || startTime === undefined) return null;
  if (typeof outFile !== 'string' || typeof errorFile !== 'string') return null;
  const more = { ...(logFile !== undefined && { logFile }), ...(cgroup !== undefined && { cgroup }) };
  return { pid, startTime, mark, outFile, errorFile, ...more };
}
