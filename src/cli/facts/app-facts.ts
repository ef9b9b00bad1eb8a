// Facts about an app that the daemon does not have: the command looks them up. They are those of its files as they are now, also
// where the app has not been restarted since they were changed.
import { basename, dirname } from 'node:path';
import { userName } from '../../client/caller.ts';
import type { AppSpec } from '../../config/app-spec.ts';
import { nodeVersion } from '../../config/program/interpreter.ts';
import { nearestPackage } from '../../config/program/scripts/packages.ts';
import { findProgram, type SearchPlace } from '../../os/programs.ts';
import { nameOfUser } from '../../os/users.ts';
import { isFailure } from '../../shared/errors.ts';
import { type Revision, revisionIn } from './repository.ts';

/** The version in the package.json of the app; undefined if there is none. */
export function versionOf(spec: AppSpec): string | undefined {
  try {
    return nearestPackage(directoryOf(spec))?.version || undefined;
  } catch (error) {
    if (isFailure(error, 'BAD_PACKAGE')) return undefined;
    throw error;
  }
}

/** What is checked out of its Git repository; undefined if there is none. */
export function revisionOf(spec: AppSpec): Revision | undefined {
  return revisionIn(directoryOf(spec));
}

/** The name of the user that it runs as. */
export function userOf({ uid }: AppSpec): string {
  return uid === undefined ? userName() : nameOfUser(uid);
}

/** The version of the Node that runs it, without the `v`; undefined for other programs. May have to run that Node. */
export function nodeVersionOf({ node, interpreter, uid }: AppSpec, { cwd, env }: SearchPlace): string | undefined {
  return node && interpreter ? nodeVersion(interpreter, { cwd, env, uid }) : undefined;
}

/** As one would type it: its name if the PATH leads to it. */
export function shortInterpreterOf({ interpreter, cwd, env }: AppSpec): string | undefined {
  const name = interpreter && basename(interpreter);
  return name && findProgram(name, { cwd, env }) === interpreter ? name : interpreter;
}

/** Where the app is that a program of another package, or one that is compiled, runs: its working directory. */
export function directoryOf({ script, interpreter, cwd }: AppSpec): string {
  return interpreter === undefined || script.includes('/node_modules/') ? cwd : dirname(script);
}
