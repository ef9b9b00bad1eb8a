// What `jlist` tells of an app beside what the daemon knows: looked up here, so that the daemon need not.
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import type { AppSpec } from '../config/app-spec.ts';
import { nodeVersion } from '../config/interpreter.ts';
import { nameOfUser } from '../config/users.ts';
import type { Context } from './command.ts';
import type { AppFacts } from './render/jlist.ts';

/** As things are now: an app that was updated and not restarted is shown with the version of its new files. */
export function factsOf({ script, interpreter, node, uid }: AppSpec, at: Pick<Context, 'cwd' | 'env'>): AppFacts {
  return {
    version: packageVersion(dirname(script)),
    nodeVersion: node && interpreter ? nodeVersion(interpreter, at) : undefined,
    username: uid === undefined ? userInfo().username : nameOfUser(uid),
  };
}

/** Of the nearest package.json from this directory upwards. */
function packageVersion(directory: string): string | undefined {
  const found = versionIn(join(directory, 'package.json'));
  if (found !== undefined) return found;
  const parent = dirname(directory);
  return parent === directory ? undefined : packageVersion(parent);
}

/** Undefined where there is no such file, or no version in it. */
function versionIn(file: string): string | undefined {
  try {
    const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version?: unknown };
    return typeof version === 'string' ? version : undefined;
  } catch {
    return undefined;
  }
}
