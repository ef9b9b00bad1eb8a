// The only place that signals. A pid alone is never trusted: the process must still be the one that is meant.
import { realClock } from '../shared/clock.ts';
import { hasProc, isSameProcess } from './proc.ts';
import { shellAbove } from './process-1.ts';
import type { Identity } from './tree.ts';

/** A real-time signal, as bin/process-1.sh passes all others on. Node has no name for it. */
const upSignal = 64;

/**
 * Signals one process. False when it is gone (a zombie is), when its pid belongs to another one by now, or when it
 * may not be signalled. Between the look and the signal lie microseconds, and no pid is given out again within them:
 * the kernel first goes through all others.
 */
export function sendSignal(who: Identity, name: NodeJS.Signals): boolean {
  if (hasProc && !isSameProcess(who)) return false;
  return kill(who.pid, name);
}

/** Whether a process of that pid is there and may be signalled: all that is to be had where there is no /proc. */
export function isAlive(pid: number): boolean {
  return kill(pid, 0);
}

/** Whether anybody who may be signalled is left in the process group that `pid` led. One system call. */
export function groupLives(pid: number): boolean {
  return kill(-pid, 0);
}

/** Kills the process group that a child of ours leads. */
export function killGroup(leader: number): void {
  kill(-leader, 'SIGKILL');
}

/** Tells the shell above nsv, if there is one, that signals may come now: it keeps them until then. */
export function tellShellAbove(): void {
  const shell = shellAbove();
  if (shell !== undefined) kill(shell, upSignal);
}

/**
 * Ends the shell that would start this daemon again, if there is one (bin/guard.sh), and resolves when it is gone: who
 * sees the daemon end shall not find its guard.
 */
export async function dismissGuard(): Promise<void> {
  const guard = guardAbove();
  if (guard === undefined) return;
  kill(guard, 'SIGKILL');
  const deadline = realClock.now() + 1_000;
  while (process.ppid === guard && realClock.now() < deadline) await new Promise((resolve) => setImmediate(resolve));
}

/** Tells that shell that from now on this daemon is the one of the home, and to be started again. */
export function tellGuard(): void {
  const guard = guardAbove();
  if (guard !== undefined) kill(guard, 'SIGUSR2');
}

function guardAbove(): number | undefined {
  const guard = Number(process.env.NSV_GUARD);
  return guard === process.ppid ? guard : undefined;
}

function kill(pid: number, name: NodeJS.Signals | number): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    // ESRCH: gone. EPERM: it changed its user, and nothing can be done.
    return false;
  }
}
