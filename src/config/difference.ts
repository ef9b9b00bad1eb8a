// Compares two app specs setting by setting. Pure.
import type { AppSpec, FieldName } from './app-spec.ts';
import { fields } from './options/fields.ts';

/** Ignores where the settings come from: an app has not changed because a command was run from another shell, with another --env, or by nsv-pm2. */
export function differingSettings(before: AppSpec, after: AppSpec): FieldName[] {
  const names = Object.keys(fields) as FieldName[];
  return names.filter((name) => !ofCommand.includes(name) && !isSame(before[name], after[name]));
}

const ofCommand: readonly FieldName[] = ['env', 'configEnv', 'listenSuffices'];

/** These decide from the first start on how the app shares its sockets: changing one opens them anew. */
const lasting: readonly FieldName[] = ['node', 'schedule', 'listen'];

/** The settings that differ and cannot change while the app runs. */
export function differingForGood(before: AppSpec, after: AppSpec): FieldName[] {
  return differingSettings(before, after).filter((name) => lasting.includes(name));
}

/** Compares settings as data: strings, numbers, booleans, and lists and objects of them. Ignores the order of keys. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? null, sorted) === JSON.stringify(other ?? null, sorted);
}

function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
