// Decides when `nsv run` ends, from the apps that have ended by themselves. An app stopped by a command does not count
// as ended, because it may be started again; an app deleted by a command no longer exists.
import type { Group } from '../daemon/apps/group.ts';
import type { Daemon } from '../daemon/daemon.ts';
import { isAtRest, isGivenUp, isTriedAgain } from '../daemon/process/lifecycle/classes.ts';
import type { ManagedProcess } from '../daemon/process/process.ts';
import { codeAfterStop, codeOfApp, verdictOf } from './exit-code.ts';
import { unexecutableCode } from './unexecutable.ts';

export interface RunOutcome {
  /** All apps are started: from now on, the end of an app counts. */
  begin(): void;
  /** The exit code after everything was stopped. */
  codeAfterStop(): number;
}

/** Calls `over` with the exit code when the apps named by `exitOn` have ended. */
export function watchOutcome(daemon: Daemon, exitOn: string, over: (code: number) => void): RunOutcome {
  const { registry, events } = daemon;
  /** The exit codes of the apps that have ended, in the order of their ends. */
  const finished = new Map<string, number>();
  /** Whether the last end of a process of the app was asked for. Absent if one has been started since. */
  const wasAsked = new Map<string, boolean>();
  let hasBegun = false;

  function look(): void {
    const before = [...finished.keys()];
    for (const group of registry.groups) {
      if (!hasEnded(group, wasAsked.get(group.name))) finished.delete(group.name);
      else if (!finished.has(group.name)) finished.set(group.name, codeOf(group) ?? 0);
    }
    if ([...finished.keys()].some((name) => !before.includes(name))) judge();
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

  daemon.onChange(look);
  events.subscribe((event) => {
    if (event.type === 'delete') forget(event.app);
    if (event.type === 'start' || event.type === 'delete') wasAsked.delete(event.app);
    if (event.type === 'exit') wasAsked.set(event.app, event.asked);
    if (event.type === 'spawn-failed' || event.type === 'giveup') wasAsked.set(event.app, false);
  });

  return {
    begin() {
      hasBegun = true;
      look();
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

/** Nothing of it runs or is to run, and that is not the work of a command. A scale leaves those that may have ended before. */
function hasEnded(group: Group, wasAsked: boolean | undefined): boolean {
  const { all, processes } = group;
  if (!all.every(isAtRest) || processes.some(isTriedAgain)) return false;
  return wasAsked === false || processes.every(hasEndedByItself);
}

function hasEndedByItself(process: ManagedProcess): boolean {
  return isGivenUp(process) || (process.lastExit !== null && !process.endedAsAsked);
}

function codeOf({ spec, processes }: Group): number | undefined {
  return codeOfApp(
    processes.map((process) => ({
      lastExit: process.lastExit,
      unexecutable: process.spawnError ? unexecutableCode(spec) : undefined,
      gaveUp: isGivenUp(process),
      isLeft: process.child !== undefined,
    })),
  );
}
