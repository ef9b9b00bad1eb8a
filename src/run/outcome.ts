// Decides when `nsv run` ends, from the apps that have ended by themselves. An app stopped by a command does not count
// as ended, because it may be started again; an app deleted by a command no longer exists.

import type { Group } from '../daemon/apps/group.ts';
import type { Daemon } from '../daemon/daemon.ts';
import { isAtRest } from '../daemon/process/lifecycle/state.ts';
import type { ManagedProcess } from '../daemon/process/process.ts';
import { throwUncaught } from '../shared/throw-uncaught.ts';
import { codeAfterStop, codeOfApp, verdictOf } from './exit-code.ts';
import { unexecutableCode } from './unexecutable.ts';

export interface RunOutcome {
  /** All apps are started: from now on, the end of an app counts. */
  begin(): void;
  /** The exit code after everything was stopped. */
  codeAfterStop(): number;
}

/** Calls `over` with the exit code when the apps named by `exitOn` have ended. */
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

  /** What is left of the app after a scale may have ended by itself before. What a command has stopped may be started again. */
  function lookAtRemaining(name: string): void {
    const isOver = registry.find(name)?.processes.every((process) => isAtRest(process) && hasEndedByItself(process));
    if (isOver) look(name);
  }

  /** What the process has left behind may still be stopping. */
  function lookWhenTreeIsGone({ app, slot }: { app: string; slot: number }): void {
    const process = registry.find(app)?.at(slot);
    process
      ?.until((now) => now.state.kind !== 'stopping' || undefined)
      .then(() => look(app))
      .catch(throwUncaught);
  }

  /** A process that nsv has given up on may still be running for a while. */
  function lookWhenAtRest({ app, slot }: { app: string; slot: number }): void {
    const process = registry.find(app)?.at(slot);
    process
      ?.until((now) => isAtRest(now) || undefined)
      .then(() => look(app))
      .catch(throwUncaught);
  }

  /** No event reports the end of a process that lost its slot, as in a reload. If it gets it back, it counts again. */
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

  /** Handles a deleted app as if it had never existed. */
  function forget(name: string): void {
    if (!registry.find(name)) finished.delete(name);
    judge();
  }

  events.subscribe((event) => {
    if (event.type === 'started') finished.delete(event.app);
    if (event.type === 'forgotten') forget(event.app);
    if (event.type === 'scaled') lookAtRemaining(event.app);
    if (event.type === 'giveup') lookWhenAtRest(event);
    // The state that follows from the event may be set later in the same tick.
    if (event.type === 'unspawnable') queueMicrotask(() => look(event.app));
    if (event.type === 'ended' && !event.asked) queueMicrotask(() => lookWhenTreeIsGone(event));
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

/** Whether `--retry-after` will start it again. */
function isTriedAgain({ processes }: Group): boolean {
  return processes.some(({ state }) => state.kind === 'errored' && state.deadline !== null);
}

function hasEndedByItself({ state, lastExit, endedAsAsked }: ManagedProcess): boolean {
  return state.kind === 'errored' || (lastExit !== null && !endedAsAsked);
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
