// The full description of an app: every row of the option table with its value.
import { failure } from '../shared/errors.ts';
import type { Field } from './options/field.ts';
import { fields } from './options/fields.ts';
import { BadValue } from './options/parsers.ts';

type Table = typeof fields;
export type FieldName = keyof Table;

export type AppSpec = { [K in FieldName]: Table[K] extends Field<infer T> ? T : never };

/** The settings that a user has given. */
export type AppSettings = Partial<AppSpec>;

const fieldNames = Object.keys(fields) as FieldName[];
const programNames = ['script', 'cwd', 'interpreter', 'interpreterArgs', 'node'] as const satisfies FieldName[];

/** The program of an app and its directory: the part that a reload may change. */
export type ProgramSpec = Pick<AppSpec, (typeof programNames)[number]>;

/** Adds the defaults to settings that are already parsed. */
export function completeAppSpec(settings: AppSettings & Pick<AppSpec, 'name' | 'script' | 'cwd'>): AppSpec {
  const completed = fieldNames.map((key) => {
    const row: Field<unknown> = fields[key];
    return [key, settings[key] ?? row.default];
  });
  return Object.fromEntries(completed) as AppSpec;
}

/** Checks every setting and fills in the defaults; reports all errors at once as BAD_OPTION. */
export function parseAppSpec(input: unknown): AppSpec {
  return parseRows(fieldNames, input) as AppSpec;
}

/** Like `parseAppSpec`, but only for the part that describes the program. */
export function parseProgramSpec(input: unknown): ProgramSpec {
  return parseRows(programNames, input) as ProgramSpec;
}

function parseRows(names: readonly FieldName[], input: unknown): Partial<AppSpec> {
  const given = (typeof input === 'object' && input !== null ? input : {}) as Record<string, unknown>;
  const known: ReadonlySet<string> = new Set(names);
  const unknown = Object.keys(given).filter((key) => !known.has(key));
  const problems = unknown.map((key) => `"${key}" is not a known setting`);
  const spec: Record<string, unknown> = {};
  for (const key of names) {
    const row: Field<unknown> = fields[key];
    const value = given[key] ?? undefined;
    if (value === undefined && 'default' in row) {
      spec[key] = row.default;
      continue;
    }
    try {
      spec[key] = row.parse(value);
    } catch (error) {
      if (!(error instanceof BadValue)) throw error;
      problems.push(`${optionName(key)} ${error.message}`);
    }
  }
  if (problems.length > 0) throw failure('BAD_OPTION', { problems });
  return spec;
}

/**
 * Drops settings that have their default value: a daemon of an older nsv rejects settings it does not know, even unused
 * ones. `parseAppSpec` puts the defaults back.
 */
export function withoutDefaults(spec: AppSpec): AppSpec {
  const shown = fieldNames.filter((key) => {
    const row: Field<unknown> = fields[key];
    return !('default' in row) || JSON.stringify(row.default) !== JSON.stringify(spec[key]);
  });
  return Object.fromEntries(shown.map((key) => [key, spec[key]])) as AppSpec;
}

/** The long flag of a setting, or its key if it has no flag. */
export function optionName(key: FieldName): string {
  const row: Field<unknown> = fields[key];
  return /--[\w-]+/.exec(row.flag ?? '')?.[0] ?? `"${key}"`;
}

/** Whether its processes need a cgroup. */
export function hasLimits({ cpu, memory, pids }: AppSpec): boolean {
  return cpu !== undefined || memory !== undefined || pids !== undefined;
}

/** Throws UNSUPPORTED for a program other than Node that has one of them, as it would run without it, and nobody would notice. */
export function expectNodeFor(spec: AppSpec): AppSpec {
  const { name, node, listenEach, schedule } = spec;
  if (node) return spec;
  const refuse = (what: string, instead: string) =>
    failure('UNSUPPORTED', { what, reason: `"${name}" is not run by Node; ${instead}` });
  if (listenEach !== undefined) throw refuse('--listen-each', 'give each instance its own PORT with "increment_var"');
  if (schedule === 'sticky')
    throw refuse('--schedule sticky', 'give each instance its own PORT with "increment_var", and let a proxy choose');
  return spec;
}
