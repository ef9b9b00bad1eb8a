// The only file that sends signals. It never trusts a pid alone: the process must still be the expected one.
import { realClock } from '../shared/clock.ts';
import { hasProc, type Identity, isSameProcess } from './proc.ts';
import { shellAbove } from './process-1.ts';

/** A real-time signal, because bin/process-1.sh passes all others on. Node has no name for it. */
const upSignal = 64;

/**
 * Signals one process. Returns false if it is gone or a zombie, if its pid now belongs to another process, or if it may
 * not be signalled. The check and the signal are microseconds apart, and the kernel does not reuse a pid that fast: it
 * goes through all other pids first.
 */
export function sendSignal(who: Identity, name: NodeJS.Signals): boolean {
  if (hasProc && !isSameProcess(who)) return false;
  return kill(who.pid, name);
}

/** Whether a process with that pid exists and may be signalled. Without /proc this is all one can check. */
export function isAlive(pid: number): boolean {
  return kill(pid, 0);
}

/** Whether the process group that `pid` led still has a member that may be signalled. One system call. */
export function groupLives(pid: number): boolean {
  return kill(-pid, 0);
}

/** Kills the process group led by a child of this process, or asks it to end. */
export function killGroup(leader: number, signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): void {
  kill(-leader, signal);
}

/** Tells the shell above nsv, if any, that Node is ready for signals. The shell holds them back until then. */
export function notifyShellAbove(): void {
  const shell = shellAbove();
  if (shell !== undefined) kill(shell, upSignal);
}

/**
 * Kills the shell that would restart this daemon, if any (bin/guard.sh), and resolves when it is gone, so a client that
 * sees the daemon exit finds no guard either.
 */
export async function dismissGuard(): Promise<void> {
  const guard = guardAbove();
  if (guard === undefined) return;
  kill(guard, 'SIGKILL');
  const deadline = realClock.now() + 1_000;
  while (process.ppid === guard && realClock.now() < deadline) await new Promise((resolve) => setImmediate(resolve));
}

/** Tells the guard that this daemon now serves the home and is to be restarted if it dies. */
export function notifyGuard(): void {
  const guard = guardAbove();
  if (guard !== undefined) kill(guard, 'SIGUSR2');
}

/** The pid of the shell that restarts this daemon (bin/guard.sh), if any. */
export function guardAbove(): number | undefined {
  const guard = Number(process.env.NSV_GUARD);
  return guard === process.ppid ? guard : undefined;
}

function kill(pid: number, name: NodeJS.Signals | number): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    // ESRCH: the process is gone. EPERM: it runs as another user, and nothing can be done.
    return false;
  }
}
