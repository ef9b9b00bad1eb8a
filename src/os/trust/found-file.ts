// Whether a file that nobody has named may be used: one that was found by its name, and may be a program.
import { lstatSync, statSync } from 'node:fs';
import type { SearchPlace } from '../programs.ts';

const root = 0;

/**
 * The first of these paths that belongs to another user than root and the user of the command; under sudo, also than the user who
 * called it. `trusted`: one more user. Both a link and what it leads to count. The rule of Git for a repository:
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

/**
 * The same for a file in a directory above the one that was named: whoever that directory belongs to could have put it there as
 * well.
 */
export function foreignAbove(paths: readonly string[], { cwd, env }: SearchPlace) {
  return foreignAmong(paths, env, statSync(cwd).uid);
}
