// Cron patterns. Import this file only where a pattern is used: it loads croner.
import { Cron } from 'croner';

/**
 * Five fields, or six with seconds first, including croner's extensions (`L`, `#`, `@daily`) and `1/3` for "every third, beginning
 * with the first", which croner took until its version 10, and PM2 takes. Undefined if invalid.
 * The job is paused: croner only computes the times, and the daemon's clock sets the timers.
 */
export function parseCron(pattern: string): Cron | undefined {
  try {
    return new Cron(pattern, { paused: true, sloppyRanges: true });
  } catch {
    return undefined;
  }
}

/** Describes why a pattern is invalid or has no match after `now`; undefined if it is usable. */
export function cronProblem(pattern: string, now: Date): string | undefined {
  if (parseCron(pattern)?.nextRun(now)) return undefined;
  return `must be a cron pattern such as "0 4 * * *", not ${JSON.stringify(pattern)}`;
}
