// Decides when `nsv run` ends, from the apps that have ended by themselves. An app stopped by a command does not count
// as ended, because it may be started again; an app deleted by a command no longer counts.
import type { Group } from '../daemon/apps/group.ts';
import type { Daemon } from '../daemon/daemon.ts';
import { isAtRest, isGivenUp, isTriedAgain } from '../daemon/process/lifecycle/classes.ts';
import { isFinished } from '../daemon/process/lifecycle/restart-policy.ts';
import type { ManagedProcess } from '../daemon/process/process.ts';
import { isScheduled } from '../daemon/slot/replacement.ts';
import { codeAfterStop, codeOfApp, verdictOf } from './exit-code.ts';
import { unexecutableCode } from './unexecutable.ts';

export interface RunOutcome {
  /** All apps are started: from now on, the end of an app counts. */
  begin(): void;
  /** The exit code after `signal`, or a command that means the same, has stopped everything. */
  codeAfterStop(signal: NodeJS.Signals): number;
}

/**
 * `names`: the apps to run. Calls `over` with the exit code when those named by `exitOn` have ended, or without one when every app was
 * deleted.
 */
export function watchOutcome(
  daemon: Daemon,
  names: readonly string[],
  exitOn: string,
  over: (code?: number) => void,
): RunOutcome {
  const { registry, events } = daemon;
  /** The exit codes of the apps that have ended, in the order of their ends. */
  const finished = new Map<string, number>();
  /** The exit codes of all apps, including those that "nsv kill" has removed; undefined for one that has still to run. */
  const codes = new Map<string, number | undefined>(names.map((name) => [name, undefined]));
  /** Whether the last end of a process of the app was asked for. Absent if one has been started since. */
  const wasAsked = new Map<string, boolean>();
  let hasBegun = false;

  function look(): void {
    const before = [...finished.keys()];
    for (const group of registry.groups) {
      const code = codeOf(group);
      codes.set(group.name, code);
      if (!hasEnded(group, wasAsked.get(group.name))) finished.delete(group.name);
      else if (!finished.has(group.name) && code !== undefined) finished.set(group.name, code);
    }
    if ([...finished.keys()].some((name) => !before.includes(name))) judge();
  }

  function judge(): void {
    if (!hasBegun) return;
    const present = registry.groups.map(({ name }) => name);
    const verdict = verdictOf(exitOn, finished, present);
    if (verdict !== undefined || present.length === 0) over(verdict);
  }

  /** A deleted app no longer counts. */
  function forget(name: string): void {
    if (!registry.find(name)) {
      finished.delete(name);
      codes.delete(name);
    }
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
    codeAfterStop(signal) {
      for (const group of registry.groups) codes.set(group.name, codeOf(group));
      return codeAfterStop(exitOn, new Map([...codes, ...finished]), signal);
    },
  };
}

/** Nothing of it runs or is to run, and that is not the work of a command. A scale leaves those that may have ended before. */
function hasEnded(group: Group, wasAsked: boolean | undefined): boolean {
  const { all, processes, spec } = group;
  const runsAgain = (process: ManagedProcess) => isTriedAgain(process) || isScheduled(spec, process);
  if (!all.every(isAtRest) || processes.some(runsAgain)) return false;
  return wasAsked === false || processes.every(hasEndedByItself);
}

function hasEndedByItself(process: ManagedProcess): boolean {
  return isGivenUp(process) || (process.lastExit !== null && !process.endedAsAsked);
}

function codeOf({ spec, processes }: Group): number | undefined {
  return codeOfApp(
    processes.map((process) => ({
      lastExit: process.lastExit,
      isOver: process.endedAsAsked || (isFinished(spec, process.lastExit) && !isScheduled(spec, process)),
      unexecutable: process.spawnError ? unexecutableCode(spec) : undefined,
      gaveUp: isGivenUp(process),
      isLeft: process.child !== undefined,
    })),
  );
}
