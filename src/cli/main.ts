// The entry point of the command line. All but this file is loaded with its compiled code from an earlier run.
import './oldest-node.ts';
import { join } from 'node:path';
import { homePaths } from '../shared/paths.ts';
import { createPartLoader } from './code-cache.ts';
import type { runCommandLine } from './command-line.ts';

const { load, save } = createPartLoader(directoryOfCache());
const commandLine = load(join(import.meta.dirname, 'command-line.js')) as { runCommandLine: typeof runCommandLine };
commandLine.runCommandLine(save);

/** In the home, or where Node would keep what it compiles: https://nodejs.org/api/module.html#module-compile-cache. */
function directoryOfCache(): string | undefined {
  const { NODE_COMPILE_CACHE: shared, NODE_DISABLE_COMPILE_CACHE: none } = process.env;
  if (none) return undefined;
  if (shared) return join(shared, 'nsv');
  return homePaths().codeCache;
}
