// Facts for `jlist` that the daemon does not have: the command looks them up.
import { userInfo } from 'node:os';
import { basename, dirname } from 'node:path';
import type { AppSpec } from '../../config/app-spec.ts';
import { nodeVersion } from '../../config/program/interpreter.ts';
import { findProgram } from '../../os/programs.ts';
import { nameOfUser } from '../../os/users.ts';
import type { Context } from '../command.ts';
import type { JlistFacts } from '../render/jlist.ts';
import { nearestPackage } from './nearest-package.ts';

/** The current values: an app that was updated but not restarted is shown with the version of its new files. */
export function factsOf(
  { script, interpreter, node, uid, cwd, env }: AppSpec,
  at: Pick<Context, 'cwd' | 'env'>,
): JlistFacts {
  const { version } = nearestPackage(dirname(script));
  return {
    version: typeof version === 'string' ? version : undefined,
    interpreter:
      interpreter && findProgram(basename(interpreter), { cwd, env }) === interpreter
        ? basename(interpreter)
        : interpreter,
    nodeVersion: node && interpreter ? nodeVersion(interpreter, at) : undefined,
    username: uid === undefined ? userInfo().username : nameOfUser(uid),
  };
}
