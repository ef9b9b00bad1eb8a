// Reads a config file in any of its formats.
import { existsSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { refusalAt, type SearchPlace, textIn } from '../../os/programs.ts';
import { detailOf } from '../../shared/errors.ts';
import { type Dialect, standardInput } from '../config-file.ts';
import { type Document, readDocument } from './document.ts';
import { execute } from './execute.ts';
import { Mistakes, Unreadable } from './mistakes.ts';

export interface ConfigRequest {
  /** A path, or `-` for standard input, which is JSON or YAML. */
  word: string;
  /** `--env`: selects `env_<name>`, and is passed to a config that is a function. */
  environment?: string | undefined;
  /** Default: nsv. */
  dialect?: Dialect | undefined;
}

export interface Loaded {
  /** Absolute; undefined for standard input. */
  file: string | undefined;
  /** The name of the file as the user typed it. */
  shown: string;
  /** The base of relative paths in it. */
  directory: string;
  value: unknown;
  /** Default: nsv. */
  dialect?: Dialect | undefined;
  /** The file exports a function, which may have handled `--env` itself. */
  wasCalled: boolean;
  mistakes: Mistakes;
  /** What was wrong with its format, and did not matter. */
  notes?: string[];
}

/** Rejects with BAD_CONFIG if the file cannot be read. */
export async function loadConfig(request: ConfigRequest, at: SearchPlace): Promise<Loaded> {
  const { word, dialect = 'nsv' } = request;
  const file = word === standardInput ? undefined : resolve(at.cwd, word);
  const shown = file ? nearer(relative(at.cwd, file), file) : 'standard input';
  try {
    const { value, lineOf, notes = [], wasCalled = false } = await read(file, { ...request, dialect }, at);
    return {
      file,
      shown,
      directory: file && dialect === 'nsv' ? dirname(file) : at.cwd,
      value,
      dialect,
      wasCalled,
      notes,
      mistakes: new Mistakes(shown, lineOf),
    };
  } catch (error) {
    const mistakes = new Mistakes(shown);
    mistakes.addAt(error instanceof Unreadable ? error.line : undefined, detailOf(error));
    mistakes.throwIfAny();
    throw error;
  }
}

type Read = Document & { wasCalled?: boolean };

async function read(file: string | undefined, { environment, dialect }: ConfigRequest, at: SearchPlace): Promise<Read> {
  if (file !== undefined && !existsSync(file)) throw new Unreadable(refusalAt(file) ?? 'there is no such file');
  if (file !== undefined && !/\.(json5?|ya?ml)$/.test(file))
    return asProgram(await execute({ file, environment, dialect }, at), textIn(file));
  const content = file === undefined ? await text(process.stdin) : textIn(file);
  // Standard input has no extension, so JSON is recognised there by its first character.
  const ending = file === undefined ? /^\s*(?:[{[]|\/[/*])/.test(content) && 'json' : /\.(json5?)$/.exec(file)?.[1];
  const kind = ending === 'json' || ending === 'json5' ? ending : 'yaml';
  if (kind !== 'yaml' && dialect === 'pm2' && !isStrict(content))
    return asProgram(await execute({ file, expression: content, dialect }, at), content);
  return readDocument(content, { kind, allowsTwins: dialect === 'pm2' });
}

function asProgram(evaluation: { value: unknown; wasCalled: boolean }, source: string): Read {
  return { ...evaluation, lineOf: (path) => lineWith(path.at(-1), source) };
}

const withoutCode = /\/\*[\s\S]*?\*\/|\/\/.*|`[^`]*`/g;

/** The line with a key, if the source has this word only there: a program can compute its keys and values. */
function lineWith(key: string | number | undefined, source: string): number | undefined {
  if (typeof key !== 'string' || !/^[\w-]+$/.test(key)) return undefined;
  if (source.split(new RegExp(`\\b${key}\\b`)).length !== 2) return undefined;
  const lines = source.replace(withoutCode, (text) => text.replace(/[^\n]/g, ' ')).split('\n');
  const index = lines.findIndex((line) => new RegExp(`(^|[\\s{,])["']?${key}["']?\\s*:`).test(line));
  return index < 0 ? undefined : index + 1;
}

function isStrict(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}

function nearer(here: string, absolute: string): string {
  return here.startsWith('..') ? absolute : here;
}
