// Decides whether a file may be used that nobody has named, but a command has found, and that may be a program.
import { lstatSync, statSync } from 'node:fs';
import type { SearchPlace } from '../programs.ts';

const root = 0;

/**
 * The first of these paths that belongs to another user. Root, the user of the command, `trusted` and, under sudo, the user who called it
 * are not others. Both a link and its target count. It is Git's rule for a repository:
 * https://git-scm.com/docs/git-config#Documentation/git-config.txt-safedirectory
 */
export function foreignAmong(
  paths: readonly string[],
  env: SearchPlace['env'],
  trusted?: number,
): { what: string; owner: number } | undefined {
  const user = process.geteuid?.();
  if (user === undefined) return undefined;
  const owners = [root, user, trusted, ...(user === root && env.SUDO_UID ? [Number(env.SUDO_UID)] : [])];
  for (const path of paths) {
    const [target, itself] = [statSync(path).uid, lstatSync(path).uid];
    if (!owners.includes(target)) return { what: path, owner: target };
    if (!owners.includes(itself)) return { what: `the link ${path}`, owner: itself };
  }
  return undefined;
}

/** The same for files above a directory, whose owner could have put them there, too. */
export function foreignAbove(paths: readonly string[], { cwd, env }: SearchPlace) {
  return foreignAmong(paths, env, statSync(cwd).uid);
}
