// What the kernel knows about a process that does not answer.
import { commandOfProcess, fileText, hasProc, readStat, stateIn, units } from '../proc.ts';

export interface ThreadStanding {
  /** The state of the main thread: R (runs), S (sleeps), D (waits for a disk), T (is stopped), t (is traced). */
  state: string;
  /** The function of the kernel in which the main thread sleeps; null if it runs, or may not be looked at. */
  waitsIn: string | null;
  /** Milliseconds of CPU time that the process has used. */
  cpuTime: number;
  children: { pid: number; command: string }[];
}

/** Characters of a command line that are kept, and children. A user can start any number, and each may claim gigabytes. */
const longestCommand = 100;
const mostChildren = 100;

/** Undefined if the process is gone, or without /proc. */
export function standingOf(pid: number): ThreadStanding | undefined {
  const stat = hasProc ? readStat(pid) : undefined;
  if (!stat) return undefined;
  const waitsIn = fileText(`/proc/${pid}/wchan`).trim();
  return {
    state: stateIn(`/proc/${pid}/stat`) ?? '',
    waitsIn: /^\w+$/.test(waitsIn) && waitsIn !== '0' ? waitsIn : null,
    cpuTime: Math.round((stat.cpuTicks * 1_000) / units().ticks),
    children: childrenOf(pid),
  };
}

function childrenOf(pid: number): ThreadStanding['children'] {
  const pids = fileText(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
  return pids
    .slice(0, mostChildren)
    .map((child) => ({ pid: child, command: commandOfProcess(child).slice(0, longestCommand) }));
}
