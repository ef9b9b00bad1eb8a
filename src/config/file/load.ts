// Reads a config file, whatever its format.
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
  /** As the user calls it. */
  shown: string;
  /** What paths in it are relative to. */
  directory: string;
  value: unknown;
  /** It is a function, which may have heeded `--env` by itself. */
  wasCalled: boolean;
  mistakes: Mistakes;
}

/**
 * Rejects with BAD_CONFIG when it cannot be read.
 * @param word a path, or `-` for standard input, which is JSON or YAML
 * @param environment what `--env` says, for a config that is a function
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

/** JSON without its name is told by how it begins. */
function readText(content: string, isJson: boolean): Promise<Read> {
  return readDocument(content, isJson || /^\s*(?:[{[]|\/[/*])/.test(content));
}

function nearer(here: string, absolute: string): string {
  return here.startsWith('..') ? absolute : here;
}
