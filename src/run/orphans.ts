// What the apps of a container have left behind, which nobody but process 1 knows of.
import { hasProc } from '../os/proc.ts';
import { shellAbove } from '../os/process-1.ts';
import { sendSignal } from '../os/terminate.ts';
import { type Identity, lookAround } from '../os/tree.ts';
import type { Clock } from '../shared/clock.ts';

/** Milliseconds between two looks. */
const pause = 20;

/** Asks them to go, and kills them once `isLate`. Resolves when none is left. */
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

/**
 * Everything below process 1 but us. What was brought in from outside (`docker exec`) has the parent 0, and is none of
 * our business.
 */
function orphans(): Identity[] {
  const { byParent } = lookAround();
  const below = new Set((byParent.get(1) ?? []).filter(({ pid }) => pid !== process.pid));
  // A set hands out what is added to it while it is walked.
  for (const { pid } of below) for (const child of byParent.get(pid) ?? []) below.add(child);
  return [...below].filter(({ alive }) => alive);
}

/**
 * Whether process 1 is nsv, itself or its `sh`, which says so by its pid in the environment. On a whole machine, where
 * it is systemd or the like, everything is below it.
 */
function isContainer(): boolean {
  return hasProc && (process.pid === 1 || shellAbove() === 1);
}
