// The entry point of the command line. All but this file is loaded with its compiled code from an earlier run.
import './oldest-node.ts';
import { join } from 'node:path';
import { homePaths } from '../shared/paths.ts';
import { createPartLoader } from './code-cache.ts';
import type { runCommandLine } from './command-line.ts';
import type { copyOfPackage } from './package-copy.ts';

const { load, save } = createPartLoader(directoryOfCache());
const commandLine = load(join(folder(), 'command-line.js')) as { runCommandLine: typeof runCommandLine };
commandLine.runCommandLine(save);

function folder(): string {
  const here = import.meta.dirname;
  if (!isForeground()) return here;
  const part = load(join(here, 'package-copy.js')) as { copyOfPackage: typeof copyOfPackage };
  return join(part.copyOfPackage(), 'dist/cli');
}

/** Whether the command lives as long as its apps: `nsv run`, and what nsv-pm2 makes of it. */
function isForeground(): boolean {
  const [word = '', ...words] = process.argv.slice(2);
  return ['run', 'pm2-runtime'].includes(word) || (word === 'pm2' && words.includes('--no-daemon'));
}

/** In the home, or where Node would keep what it compiles: https://nodejs.org/api/module.html#module-compile-cache. */
function directoryOfCache(): string | undefined {
  const { NODE_COMPILE_CACHE: shared, NODE_DISABLE_COMPILE_CACHE: none } = process.env;
  if (none) return undefined;
  if (shared) return join(shared, 'nsv');
  return homePaths().codeCache;
}
