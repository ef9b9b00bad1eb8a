// `--update-env`: the caller's environment instead of the one the app was started with.
import type { Context, HelpRow, Input } from '../command.ts';

export const updateEnvOption: HelpRow = ['--update-env', 'give the app the environment of this shell'];

export function renewedEnv({ env }: Context, { updateEnv }: Input['options']): { env?: Record<string, string> } {
  return updateEnv ? { env } : {};
}
