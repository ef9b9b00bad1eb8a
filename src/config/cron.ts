// Cron patterns. Load this file only where there is one: it brings croner along.
import { Cron } from 'croner';

/**
 * Five fields, or six with seconds first; croner's extensions (`L`, `#`, `@daily`) included. Undefined for what is no pattern.
 * Paused: croner works out the times, the clock of the daemon waits for them.
 */
export function parseCron(pattern: string): Cron | undefined {
  try {
    return new Cron(pattern, { paused: true });
  } catch {
    return undefined;
  }
}

/** What is wrong with a pattern that is none, or names no time to come after `now`; undefined when it will do. */
export function cronProblem(pattern: string, now: Date): string | undefined {
  if (parseCron(pattern)?.nextRun(now)) return undefined;
  return `must be a cron pattern such as "0 4 * * *", not ${JSON.stringify(pattern)}`;
}
