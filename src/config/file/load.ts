// Reads a config file in any of its formats.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { SearchPlace } from '../../os/programs.ts';
import { detailOf } from '../../shared/errors.ts';
import { standardInput } from '../config-file.ts';
import { type Document, readDocument } from './document.ts';
import { execute } from './execute.ts';
import { Mistakes, Unreadable } from './mistakes.ts';

export interface Loaded {
  /** Absolute; undefined for standard input. */
  file: string | undefined;
  /** The name of the file as the user typed it. */
  shown: string;
  /** The base of relative paths in it. */
  directory: string;
  value: unknown;
  /** The file exports a function, which may have handled `--env` itself. */
  wasCalled: boolean;
  mistakes: Mistakes;
}

/**
 * Rejects with BAD_CONFIG if the file cannot be read.
 * @param word a path, or `-` for standard input, which is JSON or YAML
 * @param environment the value of `--env`, passed to a config that is a function
 */
export async function loadConfig(word: string, environment: string | undefined, at: SearchPlace): Promise<Loaded> {
  const file = word === standardInput ? undefined : resolve(at.cwd, word);
  const shown = file ? nearer(relative(at.cwd, file), file) : 'standard input';
  try {
    const {
      value,
      lineOf,
      wasCalled = false,
    } = file ? await readFile(file, environment, at) : await readText(await text(process.stdin), false);
    return {
      file,
      shown,
      directory: file ? dirname(file) : at.cwd,
      value,
      wasCalled,
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

async function readFile(file: string, environment: string | undefined, at: SearchPlace): Promise<Read> {
  if (!existsSync(file)) throw new Unreadable('there is no such file');
  if (/\.(json|ya?ml)$/.test(file)) return readText(readFileSync(file, 'utf8'), file.endsWith('.json'));
  return { ...(await execute(file, environment, at)), lineOf: () => undefined };
}

/** Without a file extension, JSON is recognised by its first character. */
function readText(content: string, isJson: boolean): Promise<Read> {
  return readDocument(content, isJson || /^\s*(?:[{[]|\/[/*])/.test(content));
}

function nearer(here: string, absolute: string): string {
  return here.startsWith('..') ? absolute : here;
}
