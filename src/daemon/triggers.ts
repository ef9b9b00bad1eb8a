// Reasons to replace the processes of an app that come from outside: a changed file, the hour, too much memory.
import type { Clock } from '../shared/clock.ts';
import { detailOf } from '../shared/errors.ts';
import { renderSize } from '../shared/units.ts';
import type { Group } from './group.ts';
import type { MemoryGuard } from './memory-guard.ts';
import { processesOf, reload, type Selection } from './operations.ts';
import { everything } from './registry.ts';

export interface TriggerMeans {
  clock: Clock;
  guard: MemoryGuard;
  /** The nsv home: what happens in it is no change of an app. */
  home: string;
  /** Told what was done and why, and what went wrong with it. */
  log(group: Group, text: string): void;
}

/**
 * Attaches what the app's settings ask for; returns what detaches it. Processes are replaced by the same path as
 * `nsv reload`; an app that was stopped stays so. Rejects with BAD_OPTION for a cron pattern that is none.
 */
export async function attachTriggers(group: Group, means: TriggerMeans): Promise<() => void> {
  const renew = createRenewal(group, means);
  const { watch, cronRestart, maxMemoryRestart } = group.spec;
  const detach: (() => void)[] = [];
  if (cronRestart !== undefined) detach.push(await attachSchedule(cronRestart, group, means, renew));
  if (watch.length > 0) detach.push(await attachWatcher(group, means, renew));
  if (maxMemoryRestart !== undefined) detach.push(attachCeiling(maxMemoryRestart, group, means, renew));
  return () => {
    for (const each of detach) each();
  };
}

type Renew = (selection: Selection, reason: string) => void;

/** Reasons that come while one is being acted upon make one more replacement when it is done, not one each. */
function createRenewal(group: Group, { log }: TriggerMeans): Renew {
  let isBusy = false;
  const due = new Set<number>();
  return async ({ slots }, reason) => {
    if (!processesOf({ group, slots }).some(({ child }) => child)) return;
    log(group, `to be replaced: ${reason}`);
    for (const slot of slots) due.add(slot);
    if (isBusy) return;
    isBusy = true;
    while (due.size > 0) {
      const selection = { group, slots: [...due] };
      due.clear();
      await reload(selection, {}, () => {}).catch((error) => log(group, detailOf(error)));
    }
    isBusy = false;
  };
}

async function attachSchedule(
  pattern: string,
  group: Group,
  { clock }: TriggerMeans,
  renew: Renew,
): Promise<() => void> {
  const { createSchedule } = await import('./schedule.ts');
  const run = () => renew(everything(group), `cron pattern "${pattern}"`);
  return createSchedule({ pattern, clock, run }).close;
}

async function attachWatcher(group: Group, { clock, home, log }: TriggerMeans, renew: Renew): Promise<() => void> {
  const { createWatcher } = await import('./watcher.ts');
  const { watch, ignoreWatch, watchDelay, cwd } = group.spec;
  const logs = group.processes.flatMap((process) => {
    const { outFile, errorFile } = group.plan(process);
    return [outFile, errorFile];
  });
  return createWatcher({
    paths: watch,
    ignore: ignoreWatch,
    own: [home, ...logs],
    cwd,
    delay: watchDelay,
    clock,
    onChange: (file) => renew(everything(group), `${file} changed`),
    onError: (error) => log(group, error.message),
  }).close;
}

function attachCeiling(limit: number, group: Group, { guard }: TriggerMeans, renew: Renew): () => void {
  return guard.watch({
    limit,
    roots: () => group.processes.flatMap(({ child }) => child ?? []),
    onExceeded(root, memory) {
      const slots = group.processes.filter(({ child }) => child === root).map(({ slot }) => slot);
      renew({ group, slots }, `memory ${renderSize(memory)} above ${renderSize(limit)}`);
    },
  });
}
