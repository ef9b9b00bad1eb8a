// What the daemon runs: every row of the option table with a value.
import { failure } from '../shared/errors.ts';
import { type Field, fields } from './fields.ts';
import { BadValue } from './parsers.ts';

type Table = typeof fields;
export type FieldName = keyof Table;

export type AppSpec = { [K in FieldName]: Table[K] extends Field<infer T> ? T : never };

/** Some of the settings, as far as a user has said them. */
export type AppSettings = Partial<AppSpec>;

/** Checks every setting and fills in the defaults; reports all mistakes at once as BAD_OPTION. */
export function parseAppSpec(input: unknown): AppSpec {
  const given = (typeof input === 'object' && input !== null ? input : {}) as Record<string, unknown>;
  const problems: string[] = Object.keys(given)
    .filter((key) => !Object.hasOwn(fields, key))
    .map((key) => `"${key}" is not an option`);
  const spec: Record<string, unknown> = {};
  for (const [key, row] of Object.entries(fields) as [string, Field<unknown>][]) {
    try {
      const value = given[key];
      const useDefault = (value === undefined || value === null) && 'default' in row;
      spec[key] = useDefault ? row.default : row.parse(value);
    } catch (error) {
      if (!(error instanceof BadValue)) throw error;
      problems.push(`${optionName(key as FieldName)} ${error.message}`);
    }
  }
  if (problems.length > 0) throw failure('BAD_OPTION', { problems });
  return spec as AppSpec;
}

/** The long flag of a setting, or its key where it has none. */
export function optionName(key: FieldName): string {
  const row: Field<unknown> = fields[key];
  return /--[\w-]+/.exec(row.flag ?? '')?.[0] ?? `"${key}"`;
}
