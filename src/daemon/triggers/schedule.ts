// Calls a function by a cron pattern. Load this file only when an app has a pattern, because it loads croner.
import { type FieldName, optionName } from '../../config/app-spec.ts';
import { cronProblem, parseCron } from '../../config/cron.ts';
import type { Clock } from '../../shared/clock.ts';
import { failure } from '../../shared/errors.ts';

export interface ScheduleOptions {
  /** In the form that `parseCron` accepts. */
  pattern: string;
  /** The setting that the pattern comes from, for error messages. */
  setting: FieldName;
  clock: Clock;
  run(): void;
}

/** Milliseconds. Timers ignore clock changes and a laptop's sleep: the wall clock is read at least once a minute. */
const longestNap = 60_000;

/** Throws BAD_OPTION if the pattern is invalid, or matches no time in the future. */
export function createSchedule({ pattern, setting, clock, run }: ScheduleOptions) {
  const problem = cronProblem(pattern, new Date(clock.wall()));
  if (problem !== undefined) throw failure('BAD_OPTION', { problems: [`${optionName(setting)} ${problem}`] });
  const cron = parseCron(pattern);
  let due = cron?.nextRun(new Date(clock.wall())) ?? null;
  let cancel = due ? nap(due) : () => {};

  function nap(until: Date): () => void {
    return clock.after(Math.min(Math.max(0, until.getTime() - clock.wall()), longestNap), wake);
  }

  function wake(): void {
    const wall = clock.wall();
    const isDue = due !== null && due.getTime() <= wall;
    due = cron?.nextRun(new Date(wall)) ?? null;
    if (due) cancel = nap(due);
    if (isDue) run();
  }

  return {
    close: () => cancel(),
    /** The next run, in the time zone of this machine; null if there is none. */
    next: () => due,
  };
}
