// The exit code of `nsv run`. Pure, but for the numbers of signals.
import { constants } from 'node:os';
import type { Exit } from '../ipc/views.ts';

/** The facts about a process of an app. */
export interface Ended {
  lastExit: Exit | null;
  /** Whether nothing was to run after that. */
  isOver: boolean;
  /** The exit code that a shell uses for a program that cannot be executed; undefined if it could be. */
  unexecutable: number | undefined;
  /** Whether nsv has given up on it. */
  gaveUp: boolean;
  /** Whether it was killed, but its exit was not reported in time. */
  isLeft: boolean;
}

/** The exit code a shell would report. */
export function codeOfExit({ code, signal }: Exit): number {
  return signal === null ? (code ?? 1) : 128 + constants.signals[signal];
}

/** The first non-zero code of the processes of an app, else 0. Undefined if one of them has still to run. */
export function codeOfApp(processes: readonly Ended[]): number | undefined {
  const codes = processes.map(codeOfProcess);
  return firstBad(codes) ?? (codes.includes(undefined) ? undefined : 0);
}

/**
 * Returns the exit code of `nsv run`, or undefined while it should keep running. `names`: the apps that exist;
 * `finished`: the codes of the apps that have ended by themselves, in that order. When all of these have ended, it is
 * always a code: also if the one named by `exitOn` was deleted.
 */
export function verdictOf(
  exitOn: string,
  finished: ReadonlyMap<string, number>,
  names: readonly string[],
): number | undefined {
  const codes = [...finished.values()];
  const isAll = names.length > 0 && names.every((name) => finished.has(name));
  const last = isAll ? (firstBad(codes) ?? 0) : undefined;
  switch (exitOn) {
    case 'any':
      return codes[0] ?? last;
    case 'first-failure':
      return firstBad(codes) ?? last;
    case 'all':
      return last;
    default:
      return finished.get(exitOn) ?? last;
  }
}

/** The app that the others are there for; undefined if `exitOn` names none. */
export function purposeOf(exitOn: string): string | undefined {
  return ['all', 'any', 'first-failure'].includes(exitOn) ? undefined : exitOn;
}

/**
 * The code after `signal` has stopped everything: that of the app named by `exitOn`, else the first non-zero one. `codes`: of an app
 * that still had to run, undefined. Such an app has not done its work, so the signal gives the code, as for any program that it ends.
 */
export function codeAfterStop(
  exitOn: string,
  codes: ReadonlyMap<string, number | undefined>,
  signal: NodeJS.Signals,
): number {
  const relevant = codes.has(exitOn) ? [codes.get(exitOn)] : [...codes.values()];
  const isDone = relevant.length > 0 && !relevant.includes(undefined);
  return firstBad(relevant) ?? (isDone ? 0 : codeOfExit({ code: null, signal }));
}

function codeOfProcess({ lastExit, isOver, unexecutable, gaveUp, isLeft }: Ended): number | undefined {
  if (isLeft) return codeOfExit({ code: null, signal: 'SIGKILL' });
  if (unexecutable !== undefined) return unexecutable;
  const code = lastExit ? codeOfExit(lastExit) : undefined;
  if (gaveUp) return code || 1;
  return code === 0 && !isOver ? undefined : code;
}

function firstBad(codes: readonly (number | undefined)[]): number | undefined {
  return codes.find((code) => code !== undefined && code !== 0);
}
