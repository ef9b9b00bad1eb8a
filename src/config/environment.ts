// The environment of one instance.
import type { AppSpec } from './app-spec.ts';

/**
 * The environment of the shell that started the app, less what `--filter-env` leaves out, and six variables:
 * `NSV_APP` and `name` (the app), `NSV_ID` and `pm_id` (the process), `NSV_INSTANCE` and `NODE_APP_INSTANCE` (its slot).
 */
export function environmentOf(
  { name, env, filterEnv }: Pick<AppSpec, 'name' | 'env' | 'filterEnv'>,
  { id, slot }: { id: number; slot: number },
): Record<string, string> {
  return {
    ...(filterEnv.length === 0 ? env : without(env, filterEnv)),
    NSV_APP: name,
    NSV_ID: String(id),
    NSV_INSTANCE: String(slot),
    NODE_APP_INSTANCE: String(slot),
    pm_id: String(id),
    name,
  };
}

function without(env: Record<string, string>, prefixes: string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([key]) => !prefixes.some((prefix) => key.startsWith(prefix))));
}
