// Replaces processes that exceed a limit. One that cannot be replaced keeps serving, and is tried again later.

import { describeReason, type EndReason } from '../../ipc/records/deaths.ts';
import type { Clock } from '../../shared/clock.ts';
import { detailOf } from '../../shared/errors.ts';
import { throwUncaught } from '../../shared/throw-uncaught.ts';
import { renderDuration } from '../../shared/units.ts';
import type { Group } from '../apps/group.ts';
import { recycle } from '../apps/operations.ts';
import type { EventBus } from '../events.ts';
import type { Child } from '../launch/launcher.ts';

export interface Recycler {
  /** Whether the process is known to exceed a limit. */
  has(child: Child): boolean;
  /** Call it for a process that exceeds a limit; the first reason wins. */
  add(child: Child, reason: EndReason): void;
  close(): void;
}

export interface RecyclerDeps {
  clock: Clock;
  events: Pick<EventBus, 'emit'>;
  log(group: Group, text: string): void;
}

/** Milliseconds between a failed replacement and the next attempt; doubled after each failure. */
const shortestPause = 5_000;
const longestPause = 300_000;

export function createRecycler(group: Group, { clock, events, log }: RecyclerDeps): Recycler {
  const overdue = new Map<Child, EndReason>();
  let isBusy = false;
  let pause = shortestPause;
  let cancelPause = () => {};

  async function replace(): Promise<void> {
    isBusy = true;
    await recycle(group, overdue).catch((error) => log(group, detailOf(error)));
    for (const child of overdue.keys())
      if (!group.processes.some((process) => process.child === child)) overdue.delete(child);
    isBusy = overdue.size > 0;
    if (isBusy) tryLater();
    else pause = shortestPause;
  }

  function tryLater(): void {
    log(group, `${overdue.size} processes over a limit were not replaced; next attempt in ${renderDuration(pause)}`);
    cancelPause = clock.after(pause, () => replace().catch(throwUncaught));
    pause = Math.min(pause * 2, longestPause);
  }

  return {
    add(child, reason) {
      if (overdue.has(child)) return;
      log(group, `replacing: ${describeReason(reason)}`);
      events.emit({ type: 'replacing', app: group.name, reason: describeReason(reason) });
      overdue.set(child, reason);
      if (!isBusy) replace().catch(throwUncaught);
    },
    has: (child) => overdue.has(child),
    close: () => cancelPause(),
  };
}
