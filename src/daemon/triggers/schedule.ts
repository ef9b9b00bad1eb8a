// Cron as an event. Load this file only when an app has a pattern: it brings croner along.
import { type FieldName, optionName } from '../../config/app-spec.ts';
import { cronProblem, parseCron } from '../../config/cron.ts';
import type { Clock } from '../../shared/clock.ts';
import { failure } from '../../shared/errors.ts';

export interface Schedule {
  close(): void;
  /** When it runs next, in the time zone of this machine; null when never again. */
  next(): Date | null;
}

export interface ScheduleOptions {
  /** As `parseCron` takes it. */
  pattern: string;
  /** Where it comes from, for the complaint; default: cronRestart. */
  setting?: FieldName;
  clock: Clock;
  run(): void;
}

/** People set clocks and close laptops: timers know nothing of it, so the wall is looked at at least once a minute. */
const longestNap = 60_000;

/** Throws BAD_OPTION when the pattern is none, or names no time to come. */
export function createSchedule({ pattern, setting = 'cronRestart', clock, run }: ScheduleOptions): Schedule {
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
    next: () => due,
  };
}
