// In which settings two descriptions of an app differ. Pure.
import type { AppSpec, FieldName } from './app-spec.ts';
import { fields } from './options/fields.ts';

/** The environment of the shell is left out: where a command was typed is no change of an app. */
export function differingSettings(before: AppSpec, after: AppSpec): FieldName[] {
  const names = Object.keys(fields) as FieldName[];
  return names.filter((name) => name !== 'env' && !isSame(before[name], after[name]));
}

/** Settings are data: texts, numbers, switches, and lists and objects of them, in which the order of keys means nothing. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? null, sorted) === JSON.stringify(other ?? null, sorted);
}

function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
