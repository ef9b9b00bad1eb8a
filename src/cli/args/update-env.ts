// `--update-env`: gives the app the environment of the caller instead of its current one.
import type { Context, HelpRow, Input } from '../command.ts';

export const updateEnvOption: HelpRow = ['--update-env', 'replace the environment of the app with that of this shell'];

export function renewedEnv({ env }: Context, { updateEnv }: Input['options']): { env?: Record<string, string> } {
  return updateEnv ? { env } : {};
}
