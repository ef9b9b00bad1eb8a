// The exit code of `nsv run`. Pure, but for the numbers of signals.
import { constants } from 'node:os';
import type { Exit } from '../ipc/views.ts';

/** What is known of one process of an app that has ended. */
export interface Ended {
  lastExit: Exit | null;
  /** The exit code of a shell for a program that could not be executed; undefined when it could. */
  unexecutable: number | undefined;
  /** nsv has given up on it. */
  gaveUp: boolean;
  /** It was killed, and time was up before that was reported. */
  isLeft: boolean;
}

/** As a shell would report it. */
export function codeOfExit({ code, signal }: Exit): number {
  return signal === null ? (code ?? 1) : 128 + constants.signals[signal];
}

/** Of several processes, that of the first which did not end with 0. Undefined when none has ever run. */
export function codeOfApp(processes: readonly Ended[]): number | undefined {
  const codes = processes.map(codeOfProcess).filter((code) => code !== undefined);
  return firstBad(codes) ?? codes[0];
}

/**
 * `names`: the apps that are there; `finished`: the codes of those that have ended by themselves, in that order.
 * Undefined: it goes on. It never does when nothing is left to run, be it that all were deleted or the one that was waited
 * for.
 */
export function verdictOf(
  exitOn: string,
  finished: ReadonlyMap<string, number>,
  names: readonly string[],
): number | undefined {
  const codes = [...finished.values()];
  const isAll = names.every((name) => finished.has(name));
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

/** When everything was stopped: the app that was named decides, else the first that did not end with 0. */
export function codeAfterStop(exitOn: string, codes: ReadonlyMap<string, number>): number {
  return codes.get(exitOn) ?? firstBad([...codes.values()]) ?? 0;
}

function codeOfProcess({ lastExit, unexecutable, gaveUp, isLeft }: Ended): number | undefined {
  if (isLeft) return codeOfExit({ code: null, signal: 'SIGKILL' });
  if (unexecutable !== undefined) return unexecutable;
  const code = lastExit ? codeOfExit(lastExit) : undefined;
  return gaveUp ? code || 1 : code;
}

function firstBad(codes: readonly number[]): number | undefined {
  return codes.find((code) => code !== 0);
}
