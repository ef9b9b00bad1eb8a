// Executes a config file in a child process, which runs src/config/evaluate.ts.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { SearchPlace } from '../../os/programs.ts';
import { NsvError } from '../../shared/errors.ts';
import { installed } from '../../shared/paths.ts';
import type { Dialect } from '../config-file.ts';
import type { Evaluation } from '../evaluate.ts';
import { loadsSomething, stripFlags } from '../program/interpreter.ts';
import { Unreadable } from './mistakes.ts';

interface Program {
  /** A module, or where the expression comes from; undefined for standard input. */
  file: string | undefined;
  /** A JavaScript expression, which is the config. Default: what the file exports. */
  expression?: string;
  /** A function that the file exports gets `{ env: environment }`. */
  environment?: string | undefined;
  /** With `pm2`, a regular expression is passed on as `{ regularExpression: source }`. */
  dialect?: Dialect | undefined;
}

const notFinite = new Map<unknown, number>(['NaN', 'Infinity', '-Infinity'].map((text) => [text, Number(text)]));

/** Rejects with Unreadable. */
export async function execute({ file = '', expression, environment = '', dialect = 'nsv' }: Program, at: SearchPlace) {
  const kind = expression === undefined ? 'module' : 'expression';
  const child = spawn(process.execPath, [...flagsFor(file, at), installed.evaluate, kind, file, environment, dialect], {
    cwd: at.cwd,
    env: at.env,
    // Its standard output is redirected to standard error: standard output belongs to the command.
    stdio: ['pipe', 2, 2, 'pipe'],
  });
  child.stdin!.on('error', () => {});
  child.stdin!.end(expression);
  const [output, [code, signal]] = await Promise.all([text(child.stdio[3] as Readable), once(child, 'exit')]);
  if (output === '') throw new Unreadable(`ended with ${signal ?? `exit code ${code}`} before exporting anything`);
  const evaluation = JSON.parse(output, (_, value) => notFinite.get(value) ?? value) as Evaluation;
  if ('error' in evaluation) throw new Unreadable(evaluation.error, evaluation.line);
  return evaluation;
}

function flagsFor(file: string, { env }: SearchPlace): string[] {
  if (!/\.[cm]?ts$/.test(file) || loadsSomething([], env)) return [];
  const { typescript: strips = false } = process.features as { typescript?: string | false };
  try {
    const flags = stripFlags({ version: process.versions.node, strips }, file);
    return ['--disable-warning=ExperimentalWarning', ...flags];
  } catch (error) {
    if (!(error instanceof NsvError)) throw error;
    const { version } = process;
    throw new Unreadable(
      `is TypeScript, which Node ${version} does not run: use Node 22.6 or newer, write it in JavaScript, or install tsx and set NODE_OPTIONS="--import tsx"`,
    );
  }
}
