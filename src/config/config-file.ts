// Recognises config files by name: run as a program, a config file would export its settings to nobody and exit with 0.
import { lstatSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isFile, type SearchPlace } from '../os/programs.ts';
import { failure } from '../shared/errors.ts';

/** `ecosystem.config.js`, `nsv.config.mjs`, `web.config.json`, `pm2.json5`, `apps.yml`: no program has such a name. */
const configName = /\.config\.[cm]?[jt]s$|\.json5?$|\.ya?ml$/;

const root = 0;

/**
 * How a config file is read. `pm2`: as PM2 reads it, for `nsv-pm2`. Then unknown keys are left out with a notice, JSON may
 * contain whatever JavaScript takes for an expression, and relative paths start at the directory of the user, not of the file.
 */
export type Dialect = 'nsv' | 'pm2';

/** The argument that means "read the config file from standard input". */
export const standardInput = '-';

export function isConfigFile(file: string): boolean {
  return file === standardInput || (configName.test(basename(file)) && !isPackageFile(file));
}

/** Stands for the package: its script `start` is run. */
export function isPackageFile(file: string): boolean {
  return basename(file) === 'package.json';
}

const endings = ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs', 'json', 'yaml', 'yml'];
const defaultNames = ['nsv', 'ecosystem'].flatMap((name) => endings.map((ending) => `${name}.config.${ending}`));

/**
 * Finds `nsv.config.*`, else `ecosystem.config.*`. Throws BAD_USAGE if the same name exists with two extensions, and
 * CONFIG_OF_OTHERS if another user could have written the file.
 */
export function findConfigFile({ cwd, env }: SearchPlace): string | undefined {
  const [first, second] = defaultNames.filter((name) => isFile(join(cwd, name)));
  if (first && second?.split('.')[0] === first.split('.')[0]) {
    throw failure('BAD_USAGE', { detail: `found both ${first} and ${second}: name one of them` });
  }
  if (first !== undefined) expectOwn(first, { cwd, env });
  return first;
}

/**
 * A config file may be a program, and here nobody has asked to run it. So the file and its directory must belong to the
 * user or to root; under sudo, to the user who called it. The same rule as for a repository of Git:
 * https://git-scm.com/docs/git-config#Documentation/git-config.txt-safedirectory
 */
function expectOwn(name: string, { cwd, env }: SearchPlace): void {
  const user = process.geteuid?.();
  if (user === undefined) return;
  const trusted = [root, user, ...(user === root && env.SUDO_UID ? [Number(env.SUDO_UID)] : [])];
  const path = join(cwd, name);
  const owners = { [name]: statSync(path).uid, [`the link ${name}`]: lstatSync(path).uid, [cwd]: statSync(cwd).uid };
  for (const [what, owner] of Object.entries(owners)) {
    if (!trusted.includes(owner)) throw failure('CONFIG_OF_OTHERS', { file: name, what, owner });
  }
}

/** Throws UNSUPPORTED for a config file given as a program. `node web.config.js` still runs one. */
export function rejectConfigFile(file: string): void {
  if (!isConfigFile(file)) return;
  const reason = 'it is a config file, not a program';
  throw failure('UNSUPPORTED', { what: `"${file}"`, reason });
}
