// When an event loop counts as blocked: a row of the option table.
import type { Field } from './fields.ts';
import { BadValue, duration, type Parser, taking } from './parsers.ts';

/** Milliseconds. Collections of garbage and calls such as `readFileSync` may block a healthy loop for tenths of a second. */
const shortest = 1_000;

/** 0 for never. */
const watchdogLimit: Parser<number> = taking(duration.takes ?? {}, (input) => {
  const ms = duration(input);
  if (ms === 0 || ms >= shortest) return ms;
  throw new BadValue(`must be at least 1s, or 0 for never, not ${JSON.stringify(input)}`);
});

const field = <T>(row: Field<T> & { default: NoInfer<T> }) => row;

export const watchdogFields = {
  watchdog: field({
    flag: '--watchdog <duration>',
    doc: 'replace a Node process whose event loop is blocked for this long (at least 1s; 30s is a good start)',
    parse: watchdogLimit,
    default: 0,
    shown: 'never',
  }),
} satisfies Record<string, Field<unknown>>;
