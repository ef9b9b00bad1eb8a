// Decides whether an event loop that owes an answer is blocked. Pure: numbers and times go in, a decision comes out.
//
// The time that has passed is not enough. The process must have been able to answer for a good part of it: it was not stopped, had a
// CPU when it wanted one, and the daemon was awake to hear it.
import type { ThreadTime } from '../../../os/blocked/threads.ts';

export type Times = ReadonlyMap<number, ThreadTime>;

/** One look at a process that has not answered. */
export interface Look {
  now: number;
  /** Stopped by a signal or a debugger. */
  isStopped: boolean;
  /** nsv has stopped it, to look into it. */
  isInspected: boolean;
  /** The daemon was held up since the last look. What happened meanwhile is not known. */
  isLate: boolean;
  /** Those of its threads, by number. */
  times: Times;
  /** Somebody is connected to its inspector, and may have paused it. Asked only when it matters. */
  isDebugged(): boolean;
}

export interface Suspicion {
  /** The process, which is also the number of its main thread. */
  readonly pid: number;
  /** When it was asked. */
  readonly since: number;
  /** When the count began: later, if it had to begin anew. */
  readonly from: number;
  /** Milliseconds in which it could have answered. */
  readonly counted: number;
  /** Milliseconds of CPU time that its main thread has used meanwhile. */
  readonly ran: number;
  /** The last look. */
  readonly at: number;
  readonly times: Times;
  /** The limit was exceeded at the last look. An answer may have arrived with it. */
  readonly isDue: boolean;
  /** Why it was not judged although the limit has passed. */
  readonly spared: Spared | undefined;
}

export type Spared = 'stopped' | 'inspected' | 'starved' | 'debugged' | 'daemon late';

export type Judgement =
  | { kind: 'suspect'; suspicion: Suspicion }
  /** `ran`: percent of the time in which the main thread used a CPU. */
  | { kind: 'blocked'; forMs: number; ran: number };

/**
 * The part of the limit in which the process must have been able to answer. On a machine with so much to do that a healthy program
 * takes twice as long for everything, its limit still holds.
 */
const leastChance = 0.5;
/** Percent. A program that a debugger has paused uses less. */
const leastWork = 5;

export function suspect(pid: number, { now, times }: Pick<Look, 'now' | 'times'>): Suspicion {
  return { pid, since: now, from: now, counted: 0, ran: 0, at: now, times, isDue: false, spared: undefined };
}

/** `limit`: milliseconds that a loop may take for one turn. */
export function judgeLoop(before: Suspicion, look: Look, limit: number): Judgement {
  const { pid, since, from, at, times } = before;
  const { now } = look;
  const anew = (reason: Spared): Judgement => {
    const spared = now - since >= limit ? reason : undefined;
    return { kind: 'suspect', suspicion: { ...suspect(pid, look), since, spared } };
  };
  if (look.isStopped) return anew('stopped');
  if (look.isInspected) return anew('inspected');
  if (look.isLate) return anew('daemon late');
  const counted = before.counted + couldAnswer(pid, times, look.times, now - at);
  const ran = before.ran + ranBetween(times.get(pid), look.times.get(pid));
  const isDue = now - from >= limit && counted >= leastChance * limit;
  const share = (100 * ran) / Math.max(1, counted);
  if (isDue && share < leastWork && look.isDebugged()) return anew('debugged');
  if (isDue && before.isDue) return { kind: 'blocked', forMs: now - from, ran: Math.min(100, Math.round(share)) };
  const spared = !isDue && now - from >= 2 * limit ? 'starved' : undefined;
  return { kind: 'suspect', suspicion: { pid, since, from, counted, ran, at: now, times: look.times, isDue, spared } };
}

/**
 * Of `passed` milliseconds, those in which the main thread used a CPU or waited for something else than a CPU. It may wait for
 * another thread, of V8 or of the app, and that one for a CPU.
 */
function couldAnswer(pid: number, before: Times, after: Times, passed: number): number {
  const main = after.get(pid);
  if (main?.isRunnable) return Math.min(passed, ranBetween(before.get(pid), main));
  const missed = [...after].map(([thread, time]) => missedBetween(before.get(thread), time, passed));
  return Math.max(0, passed - Math.max(0, ...missed));
}

/** What a thread waits for at the moment is not counted yet. */
function missedBetween(before: ThreadTime | undefined, after: ThreadTime, passed: number): number {
  if (after.isRunnable) return passed - ranBetween(before, after);
  return after.waited - (before?.waited ?? 0);
}

function ranBetween(before: ThreadTime | undefined, after: ThreadTime | undefined): number {
  return after ? Math.max(0, after.ran - (before?.ran ?? 0)) : 0;
}
