// Recognises config files by name: run as a program, a config file would export its settings to nobody and exit with 0.
import { basename, join } from 'node:path';
import { isFile } from '../os/programs.ts';
import { failure } from '../shared/errors.ts';

/** `ecosystem.config.js`, `nsv.config.mjs`, `web.config.json`, `pm2.json`, `apps.yml`: no program has such a name. */
const configName = /\.config\.[cm]?[jt]s$|\.json$|\.ya?ml$/;

/** The argument that means "read the config file from standard input". */
export const standardInput = '-';

export function isConfigFile(file: string): boolean {
  return file === standardInput || configName.test(basename(file));
}

const endings = ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs', 'json', 'yaml', 'yml'];
const defaultNames = ['nsv', 'ecosystem'].flatMap((name) => endings.map((ending) => `${name}.config.${ending}`));

/** Finds `nsv.config.*`, else `ecosystem.config.*`. Throws BAD_USAGE if the same name exists with two extensions. */
export function findConfigFile(directory: string): string | undefined {
  const [first, second] = defaultNames.filter((name) => isFile(join(directory, name)));
  if (first && second?.split('.')[0] === first.split('.')[0]) {
    throw failure('BAD_USAGE', { detail: `found both ${first} and ${second}: name one of them` });
  }
  return first;
}

/** Throws UNSUPPORTED for a config file given as a program. `node web.config.js` still runs one. */
export function rejectConfigFile(file: string): void {
  if (!isConfigFile(file)) return;
  const reason = 'it is a config file, not a program';
  throw failure('UNSUPPORTED', { what: `"${file}"`, reason });
}
