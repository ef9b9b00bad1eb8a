// The flags of `nsv run` that are not app settings.
import { type RunOptions, runFields } from '../../config/options/run-fields.ts';
import type { HelpRow, Input } from '../command.ts';
import { flagsOf, readFlags } from './flags.ts';

const flags = flagsOf(runFields);

export const runOptions: readonly HelpRow[] = flags.map(({ spelling, about }) => [spelling, about]);

/** Fills in the defaults. Throws BAD_OPTION with all errors. */
export function runOptionsOf(options: Input['options']): RunOptions {
  const defaults = Object.fromEntries(Object.entries(runFields).map(([key, row]) => [key, row.default]));
  return { ...defaults, ...readFlags(flags, options) } as RunOptions;
}
