// The flags of `nsv run` that are not settings of an app.
import { type RunWishes, runFields } from '../../config/options/run-fields.ts';
import type { Input, Row } from '../command.ts';
import { flagsOf, readFlags } from './flags.ts';

const flags = flagsOf(runFields);

export const runOptions: readonly Row[] = flags.map(({ spelling, about }) => [spelling, about]);

/** Fills in the defaults. Throws BAD_OPTION with every mistake. */
export function runWishesOf(options: Input['options']): RunWishes {
  const defaults = Object.fromEntries(Object.entries(runFields).map(([key, row]) => [key, row.default]));
  return { ...defaults, ...readFlags(flags, options) } as RunWishes;
}
