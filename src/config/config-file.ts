// Recognises config files by name: run as a program, a config file would export its settings to nobody and exit with 0.
import { basename, join } from 'node:path';
import { isFile, type SearchPlace } from '../os/programs.ts';
import { foreignAmong } from '../os/trust/found-file.ts';
import { failure } from '../shared/errors.ts';

/** `ecosystem.config.js`, `nsv.config.mjs`, `web.config.json`, `pm2.json5`, `apps.yml`: no program has such a name. */
const configName = /\.config\.[cm]?[jt]s$|\.json5?$|\.ya?ml$/;

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

/** A config file may be a program, and here nobody has asked to run it. */
function expectOwn(name: string, { cwd, env }: SearchPlace): void {
  const file = join(cwd, name);
  const foreign = foreignAmong([file, cwd], env);
  if (foreign) throw failure('CONFIG_OF_OTHERS', { file, ...foreign });
}

/** Throws UNSUPPORTED for a config file given as a program. `node web.config.js` still runs one. */
export function rejectConfigFile(file: string): void {
  if (!isConfigFile(file)) return;
  const reason = 'it is a config file, not a program';
  throw failure('UNSUPPORTED', { what: `"${file}"`, reason });
}
