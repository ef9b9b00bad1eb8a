// What the threads of a process do, as the kernel counts it: enough to tell a blocked event loop from one that is idle, stopped,
// or not given the CPU. https://docs.kernel.org/scheduler/sched-stats.html#proc-pid-schedstat
import { closeSync, openSync, readSync } from 'node:fs';
import { startOf, stateIn, threadsOf, units } from '../proc.ts';

/** Milliseconds since the thread was started. */
export interface ThreadTime {
  /** For which it has used a CPU. */
  ran: number;
  /** For which it could have run, but another thread had the CPU. Counted when it gets the CPU again. */
  waited: number;
  /** Whether it runs or waits for a CPU now. */
  isRunnable: boolean;
}

/** How often the main thread was given a CPU. The file stays open: to look it up takes several times as long as to read it. */
export class RunCount {
  readonly #fd: number | undefined;

  constructor(pid: number) {
    this.#fd = opened(`/proc/${pid}/schedstat`);
  }

  /** Undefined if the process is gone, or the kernel does not count that. */
  read(): number | undefined {
    if (this.#fd === undefined) return undefined;
    try {
      const text = buffer.toString('latin1', 0, readSync(this.#fd, buffer, 0, buffer.length, 0));
      return Number(text.slice(text.lastIndexOf(' '))) || undefined;
    } catch {
      return undefined;
    }
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
  }
}

const buffer = Buffer.allocUnsafe(128);

function opened(file: string): number | undefined {
  try {
    return openSync(file, 'r');
  } catch {
    return undefined;
  }
}

export interface MainThread {
  /** R (runs), S (sleeps), D (waits for a disk), T (is stopped or frozen), t (is traced). */
  state: string;
  /**
   * It waits for events, as an event loop does that has nothing to do. So does a call that waits for a child process
   * (`execSync`), so it is false if there are children.
   */
  waitsForEvents: boolean;
}

/** Undefined if the process is gone. */
export function mainThreadOf(pid: number): MainThread | undefined {
  // First, because for most processes it is enough. A thread that runs is nowhere.
  const waitsIn = startOf(`/proc/${pid}/wchan`);
  if (inEpoll.test(waitsIn) && !hasChildren(pid)) return { state: 'S', waitsForEvents: true };
  const state = stateIn(`/proc/${pid}/stat`);
  if (state === undefined) return undefined;
  const isFrozen = (state === 'S' || state === 'D') && frozen.test(waitsIn);
  return { state: isFrozen ? 'T' : state, waitsForEvents: false };
}

/** Kernels differ in which of their functions they name. */
const inEpoll = /^(ep_poll|do_epoll)/;
/** Its cgroup is frozen, as by `docker pause`. */
const frozen = /freezer|refrigerator/;

/** By number of the thread; that of the main thread is the pid. */
export function threadTimesOf(pid: number): Map<number, ThreadTime> {
  return new Map(threadsOf(pid).map((thread) => [thread, timeOf(`/proc/${pid}/task/${thread}`)]));
}

function timeOf(directory: string): ThreadTime {
  const isRunnable = stateIn(`${directory}/stat`) === 'R';
  const [ran = 0, waited = 0, runs = 0] = startOf(`${directory}/schedstat`).trim().split(' ').map(Number);
  if (runs > 0) return { ran: ran / 1e6, waited: waited / 1e6, isRunnable };
  return { ran: ticksOf(`${directory}/stat`), waited: 0, isRunnable };
}

/** For kernels that do not count more exactly. */
function ticksOf(stat: string): number {
  const line = startOf(stat);
  // Behind the name, which a program chooses itself.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ', 13);
  return ((Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * 1_000) / units().ticks;
}

function hasChildren(pid: number): boolean {
  return startOf(`/proc/${pid}/task/${pid}/children`) !== '';
}
