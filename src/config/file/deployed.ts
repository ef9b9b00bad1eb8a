// The variables that PM2 gives to apps from the part of a config file about deployment.
import { BadValue } from '../options/parsers.ts';
import { fileKeys } from './keys.ts';
import type { Loaded } from './load.ts';

/** Those of `deploy.<environment>.env`; undefined if there are none. */
export function deployedVariables(
  environment: string | undefined,
  { value, mistakes }: Loaded,
): Record<string, string> | undefined {
  if (environment === undefined) return undefined;
  const path = ['deploy', environment, 'env'];
  const variables = path.reduce<unknown>(
    (inner, key) => (inner as Record<string, unknown> | null | undefined)?.[key],
    value,
  );
  if (variables === undefined || variables === null) return undefined;
  try {
    return fileKeys.env!.parse(variables) as Record<string, string>;
  } catch (error) {
    if (!(error instanceof BadValue)) throw error;
    mistakes.add(path, error.message);
    return {};
  }
}
