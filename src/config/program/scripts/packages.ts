// Packages as files: package.json, and the programs in node_modules/.bin.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import {
  isDirectory,
  isExecutable,
  isFile,
  isNodeName,
  type SearchPlace,
  shebangOf,
  textIn,
} from '../../../os/programs.ts';
import { foreignAbove } from '../../../os/trust/found-file.ts';
import { detailOf, failure } from '../../../shared/errors.ts';
import { parseShim } from './bins.ts';

export interface Package {
  /** Where its scripts run. */
  directory: string;
  file: string;
  name: string;
  version: string;
  /** What its .js files are, for Node. */
  type: 'module' | 'commonjs';
  scripts: Record<string, string>;
  config: Record<string, unknown>;
}

/** The package of this directory. Undefined if it has no package.json. Throws BAD_PACKAGE if that cannot be read. */
export function packageIn(directory: string): Package | undefined {
  const file = join(directory, 'package.json');
  if (!existsSync(file)) return undefined;
  let content: unknown;
  try {
    content = JSON.parse(textIn(file));
  } catch (cause) {
    throw failure('BAD_PACKAGE', { file, detail: detailOf(cause) }, { cause });
  }
  const { name, version, type, scripts, config } = objectOf(content);
  return {
    directory,
    file,
    name: typeof name === 'string' && name !== '' ? name : basename(directory),
    version: typeof version === 'string' ? version : '',
    type: type === 'module' ? 'module' : 'commonjs',
    scripts: Object.fromEntries(Object.entries(objectOf(scripts)).filter(isText)),
    config: objectOf(config),
  };
}

/** That of the nearest directory upwards, as npm finds it. */
export function nearestPackage(directory: string): Package | undefined {
  for (const each of upwards(directory)) {
    const found = packageIn(each);
    if (found) return found;
  }
  return undefined;
}

/**
 * Throws CONFIG_OF_OTHERS if the package of a directory is one above, and another user could have put it there. A package is a program
 * that nobody has named, as a config file is. For npm, which may be run after all, a directory with node_modules is a package, too:
 * https://docs.npmjs.com/cli/commands/npm-prefix
 */
export function expectOwnPackage(at: SearchPlace): void {
  const entries = ['package.json', 'node_modules'];
  const nearestWith = (names: string[]) =>
    upwards(at.cwd).find((each) => names.some((name) => existsSync(join(each, name))));
  for (const directory of [nearestWith(entries), nearestWith(['package.json'])]) {
    if (directory === undefined || directory === at.cwd) continue;
    for (const file of entries.map((name) => join(directory, name)).filter(existsSync)) {
      const foreign = foreignAbove([file, directory], at);
      if (foreign) throw failure('CONFIG_OF_OTHERS', { file, ...foreign });
    }
  }
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function isText(entry: [string, unknown]): entry is [string, string] {
  return typeof entry[1] === 'string';
}

/**
 * Each node_modules/.bin from this directory upwards, nearest first, as npm puts them on the PATH of a script. Those above are left out if
 * another user could have put them there.
 */
export function binDirectories(at: SearchPlace): string[] {
  return upwards(at.cwd).flatMap((directory) => {
    const packages = join(directory, 'node_modules');
    const bins = join(packages, '.bin');
    if (basename(directory) === 'node_modules' || !isDirectory(bins)) return [];
    return directory === at.cwd || !foreignAbove([directory, packages, bins], at) ? [bins] : [];
  });
}

/** What Yarn gives to Node in place of node_modules: https://yarnpkg.com/features/pnp. Empty without Plug'n'Play. */
export function pnpOptions(at: SearchPlace): string[] {
  const [found] = upwards(at.cwd).flatMap((directory) => {
    const file = join(directory, '.pnp.cjs');
    return isFile(file) && (directory === at.cwd || !foreignAbove([directory, file], at)) ? [directory] : [];
  });
  if (found === undefined) return [];
  const loader = join(found, '.pnp.loader.mjs');
  return ['--require', join(found, '.pnp.cjs'), ...(isFile(loader) ? ['--experimental-loader', loader] : [])];
}

function upwards(directory: string): string[] {
  const parent = dirname(directory);
  return parent === directory ? [directory] : [directory, ...upwards(parent)];
}

/** A program of a package that the package in this directory may run. */
export function findBin(name: string, at: SearchPlace): string | undefined {
  return binDirectories(at)
    .map((bins) => join(bins, name))
    .find(isExecutable);
}

/**
 * `options`: those of Node in its first line. Undefined if the program is not written for Node. A link is kept: what it leads to has
 * another path after an update.
 */
export function nodeBinOf(
  bin: string,
): { options: string[]; file: string; variables: Record<string, string> } | undefined {
  const words = shebangOf(bin) ?? [];
  const [interpreter = '', ...options] =
    basename(words[0] ?? '') === 'env' ? words.slice(words[1] === '-S' ? 2 : 1) : words;
  if (isNodeName(interpreter)) return { options, file: bin, variables: {} };
  if (basename(interpreter) !== 'sh') return undefined;
  const shim = parseShim(readFileSync(bin, 'utf8'));
  const file = shim && join(dirname(bin), shim.target);
  if (!file || !isFile(file)) return undefined;
  return { options: [], file, variables: shim.nodePath === undefined ? {} : { NODE_PATH: shim.nodePath } };
}

/** The value of `--import` for tsx: by its name where the app has it, which is the same after an update. */
export function tsxLoader(bin: string, directory: string): string {
  try {
    createRequire(join(directory, 'package.json')).resolve('tsx');
    return 'tsx';
  } catch {
    return createRequire(nodeBinOf(bin)?.file ?? bin).resolve('tsx');
  }
}
