// Chooses the program that runs a file: by extension, by shebang, or by the user's `--interpreter`.
import { execFileSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { basename, dirname, extname } from 'node:path';
import { findProgram, isExecutable, isNode, isText, type SearchPlace, shebangOf } from '../../os/programs.ts';
import { isForeign } from '../../os/trust/trusted-path.ts';
import { findUser } from '../../os/users.ts';
import { failure } from '../../shared/errors.ts';
import { parseNodeWords } from './node-words.ts';
import { runners, startsAnother } from './scripts/bins.ts';
import { findBin, nodeBinOf, tsxLoader } from './scripts/packages.ts';

/** How a file is run; without an interpreter the file itself is executed. */
export interface Runner {
  interpreter: string | undefined;
  interpreterArgs: string[];
  node: boolean;
}

/** The interpreters for each file extension, best first. */
const byExtension: Record<string, readonly [string, ...string[]]> = {
  '.js': ['node'],
  '.mjs': ['node'],
  '.cjs': ['node'],
  '.ts': ['node'],
  '.mts': ['node'],
  '.cts': ['node'],
  '.py': ['python3', 'python'],
  '.sh': ['bash', 'sh'],
  '.rb': ['ruby'],
  '.php': ['php'],
  '.pl': ['perl'],
};

const direct: Runner = { interpreter: undefined, interpreterArgs: [], node: false };

/**
 * Throws NO_SUCH_INTERPRETER, CANNOT_STRIP_TYPES, or PROGRAM_UNEXECUTABLE if nothing says how to run the file.
 * @param word the user's `--interpreter`: a name on the PATH, a path, or "none" to execute the file
 * @param args the user's `--interpreter-args`, added after those of the shebang
 * @param cwd the directory of the app, whose packages may have the interpreter
 */
export function findRunner(
  script: string,
  word: string | undefined,
  args: string[],
  at: SearchPlace,
  cwd = at.cwd,
): Runner {
  if (word === 'none') return direct;
  const runner = word === undefined ? runnerOf(script, at) : runnerNamed(word, script, args, at, cwd);
  if (!runner.interpreter) return runner;
  const interpreterArgs = [...runner.interpreterArgs, ...args];
  const isPlain = runner.node && !parseNodeWords(interpreterArgs) && !loadsSomething(interpreterArgs, at.env);
  const flags = isPlain && /\.[mc]?ts$/.test(script) ? typeFlags(runner.interpreter, script, at, cwd) : [];
  return { ...runner, interpreterArgs: [...flags, ...interpreterArgs] };
}

/**
 * A package that has tsx is written for it, and may need more than what Node does by itself (`enum`, imports without an extension). So
 * this does not depend on the version of Node.
 */
function typeFlags(node: string, script: string, at: SearchPlace, cwd: string): string[] {
  const tsx = findBin('tsx', { ...at, cwd: dirname(script) });
  return tsx ? ['--import', tsxLoader(tsx, cwd)] : stripFlags(factsOf(node, at), script);
}

/** Of tsx, only its loader is used: the program would start Node as another process. ts-node runs the file in its own. */
function runnerNamed(word: string, script: string, args: string[], at: SearchPlace, cwd: string): Runner {
  const bin = word.includes('/') ? undefined : findBin(word, { cwd, env: at.env });
  const runner = runnerBy([bin ?? word], script, at);
  if (basename(word) === 'tsx')
    return runnerBy(['node'], script, at, ['--import', tsxLoader(runner.interpreter!, cwd)]);
  const own = bin !== undefined && runners.includes(word) && !startsAnother(word, args) ? nodeBinOf(bin) : undefined;
  return own ? runnerBy(['node'], script, at, [...own.options, own.file]) : runner;
}

function runnerOf(script: string, at: SearchPlace): Runner {
  const names = byExtension[extname(script)];
  if (names) return runnerBy(names, script, at);
  const shebang = shebangOf(script);
  if (shebang) return runnerByShebang(shebang, script, at);
  if (isExecutable(script)) return direct;
  throw failure('PROGRAM_UNEXECUTABLE', {
    program: script,
    detail: 'it has no known file extension and is not executable',
  });
}

/** Whether nothing says how to run a file: it is text without a known extension and without `#!`. PM2 takes Node for it. */
export function isBare(script: string): boolean {
  return byExtension[extname(script)] === undefined && isText(script) && !shebangOf(script);
}

function runnerBy(names: readonly [string, ...string[]], script: string, at: SearchPlace, args: string[] = []): Runner {
  const found = firstFound(names, at);
  // If there is no Node on the PATH (as in the environment of an editor or a service), the one that runs nsv is used.
  const interpreter = found ?? (names[0] === 'node' ? process.execPath : undefined);
  if (interpreter) return { interpreter, interpreterArgs: args, node: isNode(interpreter) };
  throw failure('NO_SUCH_INTERPRETER', { interpreter: names[0], script });
}

function firstFound(names: readonly string[], at: SearchPlace): string | undefined {
  for (const name of names) {
    const program = findProgram(name, at);
    if (program !== undefined) return program;
  }
  return undefined;
}

/**
 * Does what the kernel would do, but resolves `env`: `#!/usr/bin/env node` is Node. This also works for files that are
 * not executable. An `env` that sets variables is kept.
 */
function runnerByShebang(words: string[], script: string, at: SearchPlace): Runner {
  const viaEnv = basename(words[0]!) === 'env' ? words.slice(words[1] === '-S' ? 2 : 1) : words;
  const [program = '', ...args] = /^-|=/.test(viaEnv[0] ?? '') ? words : viaEnv;
  return runnerBy([program], script, at, args);
}

/** The version of a Node without the `v`; undefined if it cannot be found out. */
export function nodeVersion(node: string, at: SearchPlace): string | undefined {
  try {
    return factsOf(node, at).version;
  } catch {
    return undefined;
  }
}

/**
 * Runs the given Node to ask, unless it is the one that runs nsv; this takes as long as Node takes to start. That of an app of
 * another user may be a program of that user: it runs with no more rights, and gets nothing of the caller's environment.
 */
function factsOf(node: string, { cwd, env, uid }: SearchPlace): NodeFacts {
  const { typescript: strips = false } = process.features as { typescript?: NodeFacts['strips'] };
  if (realpathSync(node) === realpathSync(process.execPath)) return { version: process.versions.node, strips };
  const question = 'JSON.stringify({ version: process.versions.node, strips: process.features.typescript ?? false })';
  const user = uid !== undefined && isForeign({ uid }) && findUser(uid);
  const place = user ? { uid: user.uid, gid: user.gid, cwd: '/', env: {} } : { cwd, env };
  return JSON.parse(execFileSync(node, ['-p', question], { ...place, encoding: 'utf8', stdio: 'pipe' })) as NodeFacts;
}

interface NodeFacts {
  /** Without the "v". */
  version: string;
  /** `process.features.typescript`: how it strips types by default. */
  strips: string | false;
}

/** Whether a loader that handles TypeScript is preloaded, such as tsx or ts-node. */
export function loadsSomething(nodeArgs: readonly string[], env: Record<string, string>): boolean {
  const words = [...nodeArgs, ...(env.NODE_OPTIONS ?? '').split(' ')];
  return words.some((word) =>
    /^(--import|--require|-r|--(experimental-)?loader|--experimental-(strip|transform)-types)(=|$)/.test(word),
  );
}

/** The flags that let this Node run the script. Throws CANNOT_STRIP_TYPES. */
export function stripFlags({ version, strips }: NodeFacts, script: string): string[] {
  if (strips) return [];
  // https://nodejs.org/api/typescript.html: behind a flag since 22.6, by default since 22.18 and 23.6.
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if ((major === 22 && minor >= 6) || major === 23) return ['--experimental-strip-types'];
  throw failure('CANNOT_STRIP_TYPES', { script, version });
}
