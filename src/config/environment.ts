// The environment of one instance, and the settings in the daemon's own environment.
import { parseSize } from '../shared/units.ts';
import type { AppSpec } from './app-spec.ts';

type Settings = Pick<AppSpec, 'name' | 'env' | 'filterEnv' | 'fileEnv' | 'instanceVar' | 'incrementVar'>;

const defaultLogsMax = 2 * 1024 ** 3;

/** The limit of all logs together in bytes, from NSV_LOGS_MAX ("5G"; default 2G; 0: no limit). Undefined if invalid. */
export function logsMax(word = process.env.NSV_LOGS_MAX): number | undefined {
  return word ? parseSize(word) : defaultLogsMax;
}

/**
 * Merges the environment of the shell that started the app (less what `--filter-env` removes), the environment of the
 * config file, and six variables: `NSV_APP` and `name` (the app), `NSV_ID` and `pm_id` (the process), `NSV_INSTANCE`
 * and `NODE_APP_INSTANCE` or its configured replacement (the slot).
 */
export function instanceEnvironment(
  spec: Settings,
  { id, slot }: { id: number; slot: number },
): Record<string, string> {
  const { name, instanceVar } = spec;
  const env = sharedEnvironmentOf(spec);
  return {
    ...env,
    ...incremented(spec, env, slot),
    NSV_APP: name,
    NSV_ID: String(id),
    NSV_INSTANCE: String(slot),
    [instanceVar]: String(slot),
    pm_id: String(id),
    name,
  };
}

/** The part that all instances share. */
export function sharedEnvironmentOf({
  env,
  filterEnv,
  fileEnv,
}: Pick<Settings, 'env' | 'filterEnv' | 'fileEnv'>): Record<string, string> {
  return { ...(filterEnv.length === 0 ? env : without(env, filterEnv)), ...fileEnv };
}

function incremented({ incrementVar }: Settings, env: Record<string, string>, slot: number): Record<string, string> {
  const first = incrementVar === undefined ? Number.NaN : Number(env[incrementVar]);
  return incrementVar === undefined || Number.isNaN(first) ? {} : { [incrementVar]: String(first + slot) };
}

function without(env: Record<string, string>, prefixes: string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([key]) => !prefixes.some((prefix) => key.startsWith(prefix))));
}
