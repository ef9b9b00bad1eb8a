// Generates flags from the rows of an option table, and reads their values with the parsers of the rows.
import type { Field } from '../../config/options/field.ts';
import { BadValue, type Parser } from '../../config/options/parsers.ts';
import { failure } from '../../shared/errors.ts';
import type { Input, OptionRow } from '../command.ts';
import { settingText } from '../render/setting.ts';

export interface Flag<Key extends string, Value = unknown> {
  /** In commander's syntax. */
  spelling: string;
  about: string;
  sets: readonly Key[];
  parse: Parser<Value>;
  /** Another name of a flag, which is not shown. */
  hidden?: 'alias';
}

/** A flag that sets one key. */
export function flag<Key extends string, Value>(
  spelling: string,
  about: string,
  key: Key,
  parse: Parser<Value>,
): Flag<Key, Value> {
  return { spelling, about, sets: [key], parse };
}

/** `parsers` and `shown`: where a command parses a flag or shows its default differently from the table. */
export function flagsOf<Key extends string>(
  table: Record<Key, Field<unknown>>,
  parsers: Partial<Record<Key, Parser<unknown>>> = {},
  shown: Partial<Record<Key, string>> = {},
): Flag<Key>[] {
  return (Object.entries(table) as [Key, Field<unknown>][]).flatMap(([key, row]) => {
    if (!row.flag) return [];
    const isSwitch = !/[<[]/.test(row.flag);
    const otherwise = shown[key] ?? row.shown ?? settingText(row, row.default);
    const about = isSwitch || otherwise === '' ? row.doc : `${row.doc} (default: ${otherwise})`;
    return flag(row.flag, about, key, parsers[key] ?? row.parse);
  });
}

/** How help shows the flags. */
export function rowsOf(flags: readonly Flag<string>[]): OptionRow[] {
  return flags.map(({ spelling, about, hidden }) => [spelling, about, hidden]);
}

type Values<F extends Flag<string>> = { [G in F as G['sets'][number]]?: ReturnType<G['parse']> };

/** Reads all given flags; throws one BAD_OPTION that lists every error. */
export function readFlags<F extends Flag<string>>(flags: readonly F[], options: Input['options']): Values<F> {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const { spelling, sets, parse } of flags) {
    const given = options[attributeOf(spelling)];
    if (given === undefined) continue;
    try {
      const value = parse(given);
      for (const key of sets) values[key] = value;
    } catch (error) {
      if (!(error instanceof BadValue)) throw error;
      problems.push(`${longFlag(spelling)} ${error.message}`);
    }
  }
  if (problems.length > 0) throw failure('BAD_OPTION', { problems });
  return values as Values<F>;
}

export function longFlag(spelling: string): string {
  return /--[\w-]+/.exec(spelling)?.[0] ?? spelling;
}

/** Commander's name for a flag: `--no-autorestart` sets `autorestart`, `--restart-delay` sets `restartDelay`. */
export function attributeOf(spelling: string): string {
  return longFlag(spelling)
    .replace(/^--(no-)?/, '')
    .replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
