// Ends the processes that the apps of a container left behind: only process 1 can find them.
import { hasProc, type Identity } from '../os/proc.ts';
import { shellAbove } from '../os/process-1.ts';
import { sendSignal } from '../os/terminate.ts';
import { lookAround } from '../os/tree.ts';
import type { Clock } from '../shared/clock.ts';

/** Milliseconds between two checks. */
const pause = 20;

/** Asks the orphans to exit, and kills them once `isLate`. Resolves when none is left. */
export async function endOrphans(clock: Clock, isLate: () => boolean): Promise<void> {
  if (!isContainer()) return;
  const asked = new Set<number>();
  for (let left = orphans(); left.length > 0; left = orphans()) {
    for (const who of left) {
      if (isLate()) sendSignal(who, 'SIGKILL');
      else if (!asked.has(who.pid)) sendSignal(who, 'SIGTERM');
      asked.add(who.pid);
    }
    await new Promise<void>((resolve) => clock.after(pause, resolve));
  }
}

/** All descendants of process 1 but nsv. Processes started from outside (`docker exec`) have the parent 0. */
function orphans(): Identity[] {
  const { byParent } = lookAround();
  const below = new Set((byParent.get(1) ?? []).filter(({ pid }) => pid !== process.pid));
  // Iterating a set also visits the elements added on the way.
  for (const { pid } of below) for (const child of byParent.get(pid) ?? []) below.add(child);
  return [...below].filter(({ alive }) => alive);
}

/**
 * Whether process 1 is nsv or its `sh`, which passes its pid in the environment. On a machine where process 1 is
 * systemd or the like, every process is its descendant.
 */
function isContainer(): boolean {
  return hasProc && (process.pid === 1 || shellAbove() === 1);
}
