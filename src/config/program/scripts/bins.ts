// What the programs in node_modules/.bin do: most are the program itself, some start another Node. Pure.
import { basename, dirname } from 'node:path';
import { parseNodeWords } from '../node-words.ts';

const always = () => true;
const first =
  (...words: string[]) =>
  (args: readonly string[]) =>
    words.includes(args[0] ?? '');

/**
 * Programs that start the one that listens as a process of its own. A reload would start it while the old one has its port, so they
 * are run as they are: stopped before the next one starts.
 */
const starters: Record<string, (args: readonly string[]) => boolean> = {
  ...Object.fromEntries(
    `nodemon node-dev ts-node-dev tsnd supervisor forever pm2 pm2-dev pm2-runtime concurrently conc npm-run-all run-s run-p
    cross-env-shell dotenv dotenvx dotenv-flow env-cmd nx turbo lerna rush wireit react-scripts craco nuxt nuxi nuxt-cli
    wrangler electron babel-node nf onchange start-server-and-test tsc-watch sst netlify vercel`
      .split(/\s+/)
      .map((name) => [name, always]),
  ),
  nest: first('start'),
  next: first('dev', ''),
  'ts-node': (args) => args.includes('--esm'),
};

/** Whether the program of this name starts another one that does the work. */
export function startsAnother(name: string, args: readonly string[]): boolean {
  return Object.hasOwn(starters, name) && starters[name]!(args);
}

/** Whether the path is that of a link, or a file, that a package manager has made for the program of a package. */
export function isBinPath(path: string): boolean {
  return basename(dirname(path)) === '.bin';
}

/** Programs that run a file: an app is called by that, as with Node. */
export const runners = ['tsx', 'ts-node'];

/**
 * tsx starts Node with a loader, as a process of its own. `node --import tsx` is the same in one process:
 * https://tsx.is/dev-api/node-cli. `options`: those for Node. `words`: the file and its arguments. Undefined if tsx watches files or
 * runs none.
 */
export function parseTsxWords(args: readonly string[]) {
  const variables: Record<string, string> = {};
  const kept: string[] = [];
  let at = 0;
  for (; args[at]?.startsWith('-'); at += 1) {
    const [flag, value] = args[at]!.split(/=(.*)/s, 2);
    if (flag === '--no-cache') variables.TSX_DISABLE_CACHE = '1';
    else if (flag === '--tsconfig') {
      if (value === undefined) at += 1;
      variables.TSX_TSCONFIG_PATH = value ?? args[at] ?? '';
    } else kept.push(args[at]!);
  }
  if (args[at] === 'watch') return undefined;
  const parsed = parseNodeWords([...kept, ...args.slice(at)]);
  return parsed && { variables, options: parsed.options, words: [parsed.script, ...parsed.args] };
}

/**
 * The program behind a shell script of pnpm (@zkochan/cmd-shim), which has no links in .bin: relative to the directory of the script,
 * with the packages of the store that it may load.
 */
export function parseShim(text: string): { target: string; nodePath: string | undefined } | undefined {
  const [, target] = /^\s*exec node\s+"\$basedir\/([^"$`\\]+)" "\$@"$/m.exec(text) ?? [];
  const [, nodePath] = /^\s*export NODE_PATH="([^"$`\\]+)"$/m.exec(text) ?? [];
  return target === undefined ? undefined : { target, nodePath };
}

/** How npm calls an app: by its package, and by its script unless that is `start`. */
export function titleOf(packageName: string, script: string): string {
  const own = packageName.replace(/^@[^/]*\//, '');
  return script === 'start' ? own : `${own}-${script}`;
}
