// Processes that a dead daemon has left. They are no children of ours: nobody tells us when one ends, or how.
import type { Exit } from '../../ipc/views.ts';
import type { Clock } from '../../shared/clock.ts';
import { failure } from '../../shared/errors.ts';
import { isSame, readStat } from '../proc.ts';
import type { Life } from '../state/record.ts';
import type { Child, ChildEvents, Launcher } from './launcher.ts';

/** How a process ended whose end nobody could be told. */
export const unknownExit: Exit = { code: null, signal: null };

/** Between two looks whether those that only looking tells about are there. */
const lookEvery = 300;

export interface Adopter {
  /** A launcher that launches nothing: it finds this process, or that it has ended meanwhile. For null there is none. */
  finderOf(life: Life | null): Launcher;
}

export function createAdopter(clock: Clock): Adopter {
  const watched = new Map<Child, ChildEvents>();
  let isWaiting = false;

  function look(): void {
    for (const [child, events] of [...watched]) {
      if (lives(child)) continue;
      watched.delete(child);
      events.exited(unknownExit);
    }
    isWaiting = watched.size > 0;
    if (isWaiting) clock.after(lookEvery, look);
  }

  function watch(child: Child, events: ChildEvents): void {
    watched.set(child, events);
    // Not before whoever adopts it has heard of it.
    if (!isWaiting) clock.after(0, look);
    isWaiting = true;
  }

  return {
    finderOf: (life) => ({
      launch(plan, events) {
        if (!life) throw failure('INTERNAL', { detail: `"${plan.spec.name}" has no process to adopt` });
        const { pid, startTime, mark, outFile, errorFile } = life;
        const child: Child = { pid, startTime, plan: { ...plan, mark, outFile, errorFile }, send: () => false };
        watch(child, events);
        return child;
      },
    }),
  };
}

/** A zombie is one that its new parent has not noticed yet. */
function lives(child: Child): boolean {
  const stat = readStat(child.pid);
  return stat?.alive === true && isSame(stat, child);
}
