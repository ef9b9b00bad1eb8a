// Executes a config file, or an expression, in a Node process of its own, so that what it loads, changes, prints
// or leaves running cannot affect the command. Prints one JSON object on descriptor 3.
import { spawnSync } from 'node:child_process';
import { writeSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { runInThisContext } from 'node:vm';

/** The object printed on descriptor 3. */
export type Evaluation = { value: unknown; wasCalled: boolean } | { error: string; line?: number };

const [kind, file = '', env = '', dialect = ''] = process.argv.slice(2);

(kind === 'expression' ? evaluateExpression() : evaluate()).then(
  (evaluation) => report(() => evaluation),
  (error) => report(() => explained(error)),
);

/** Returns the default export, else all named ones. Calls functions and awaits promises. */
async function evaluate(): Promise<Evaluation> {
  const module = (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  let value = 'default' in module ? module.default : { ...module };
  // The shape of a CommonJS `export default` as compiled by TypeScript and Babel.
  if (isObject(value) && value.__esModule && 'default' in value) value = value.default;
  if (typeof value !== 'function') return { value: await value, wasCalled: false };
  return { value: await value({ env: env === '' ? undefined : env }), wasCalled: true };
}

/** The expression comes from standard input. */
async function evaluateExpression(): Promise<Evaluation> {
  const options = { filename: file || 'standard input', columnOffset: -1 };
  return { value: runInThisContext(`(${await text(process.stdin)}\n)`, options), wasCalled: false };
}

function report(what: () => Evaluation): void {
  let json: string;
  try {
    json = JSON.stringify(what(), refuseCode);
  } catch (error) {
    json = JSON.stringify(explained(error));
  }
  for (let rest = Buffer.from(json); rest.length > 0; ) rest = rest.subarray(writeSync(3, rest));
  process.exit();
}

/** JSON has no NaN and no Infinity; `execute` turns these texts into numbers again, so that nobody takes them for nothing. */
function refuseCode(key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (typeof value === 'function') throw new TypeError(`"${key}" is a function; only data is allowed`);
  if (value instanceof RegExp && dialect === 'pm2') return { regularExpression: value.source };
  if (value instanceof RegExp) throw new TypeError(`"${key}" is a regular expression; use a string`);
  return value;
}

function explained(error: unknown): Evaluation {
  if (!(error instanceof Error)) return { error: String(error) };
  const line = lineIn(error.stack ?? '') ?? (error instanceof SyntaxError ? lineIn(checked()) : undefined);
  const text = `${error.name}: ${error.message}`;
  return line === undefined ? { error: text } : { error: text, line };
}

/** The first line of the file that appears in a stack trace. */
function lineIn(trace: string): number | undefined {
  const places = [...trace.matchAll(/(?:file:\/\/)?([^\s()]+?):(\d+)(?::\d+)?\)?$/gm)];
  const own = places.find(([, path]) => path === file || path === pathToFileURL(file).pathname);
  return own && Number(own[2]);
}

/** Node reports the line of a syntax error in a module only on standard error, so this runs `node --check`. */
function checked(): string {
  return spawnSync(process.execPath, [...process.execArgv, '--check', file], { encoding: 'utf8' }).stderr;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
