// Which apps have ended by themselves, and what that means for `nsv run`. What a command has stopped has not ended: it
// may be started again. What a command has deleted is no longer there.

import { type Group, isAtRest } from '../daemon/apps/group.ts';
import type { Daemon } from '../daemon/daemon.ts';
import { throwUncaught } from '../shared/throw-uncaught.ts';
import { codeAfterStop, codeOfApp, verdictOf } from './exit-code.ts';
import { unexecutableCode } from './unexecutable.ts';

export interface RunOutcome {
  /** The apps are started: from now on the end of one counts. */
  begin(): void;
  /** When everything was stopped. */
  codeAfterStop(): number;
}

/** Calls `over` with the exit code when the apps that `exitOn` names have ended. */
export function watchOutcome({ registry, events }: Daemon, exitOn: string, over: (code: number) => void): RunOutcome {
  const finished = new Map<string, number>();
  const early = new Set<string>();
  let hasBegun = false;

  function look(name: string): void {
    if (!hasBegun) early.add(name);
    const group = hasBegun ? registry.find(name) : undefined;
    if (!group?.processes.every(isAtRest) || isTriedAgain(group)) return;
    if (group.isActive) {
      lookWhenGone(group);
    } else {
      finished.set(name, codeOf(group) ?? 0);
      judge();
    }
  }

  /** A process that nsv has given up on may still finish what it has begun. */
  function lookWhenAtRest({ app, slot }: { app: string; slot: number }): void {
    const process = registry.find(app)?.at(slot);
    process
      ?.until((now) => isAtRest(now) || undefined)
      .then(() => look(app))
      .catch(throwUncaught);
  }

  /** Nobody hears of the end of one that has left its slot, as in a reload. If it gets the slot after all, it counts as any. */
  function lookWhenGone(group: Group): void {
    for (const process of group.all.filter((each) => !isAtRest(each))) {
      process
        .until((now) => isAtRest(now) || undefined)
        .then(() => {
          if (!group.processes.includes(process)) look(group.name);
        })
        .catch(throwUncaught);
    }
  }

  function judge(): void {
    if (!hasBegun) return;
    const names = registry.groups.map(({ name }) => name);
    const verdict = verdictOf(exitOn, finished, names);
    if (verdict !== undefined) over(verdict);
  }

  /** As if it had never been there. */
  function forget(name: string): void {
    if (!registry.find(name)) finished.delete(name);
    judge();
  }

  events.subscribe((event) => {
    if (event.type === 'started') finished.delete(event.app);
    if (event.type === 'forgotten') forget(event.app);
    if (event.type === 'giveup') lookWhenAtRest(event);
    const isOwn = event.type === 'unspawnable' || (event.type === 'ended' && !event.asked);
    // What follows from it may happen in the same step.
    if (isOwn) queueMicrotask(() => look(event.app));
  });

  return {
    begin() {
      hasBegun = true;
      for (const name of early) look(name);
      judge();
    },
    codeAfterStop() {
      const codes = registry.groups.flatMap((group) => {
        const code = finished.get(group.name) ?? codeOf(group);
        return code === undefined ? [] : [[group.name, code] as const];
      });
      return codeAfterStop(exitOn, new Map(codes));
    },
  };
}

/** By `--retry-after`. */
function isTriedAgain({ processes }: Group): boolean {
  return processes.some(({ state }) => state.kind === 'errored' && state.deadline !== null);
}

function codeOf({ spec, processes }: Group): number | undefined {
  return codeOfApp(
    processes.map(({ lastExit, spawnError, state, child }) => ({
      lastExit,
      unexecutable: spawnError ? unexecutableCode(spec) : undefined,
      gaveUp: state.kind === 'errored',
      isLeft: child !== undefined,
    })),
  );
}
