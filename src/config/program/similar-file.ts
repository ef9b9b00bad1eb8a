// Guesses which file was meant by a path that leads nowhere.
import { readdirSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { isFile, refusalAt } from '../../os/programs.ts';
import { failure, type NsvError } from '../../shared/errors.ts';
import { nearest } from '../../shared/nearest.ts';

const isScript = (file: string) => /\.[cm]?[jt]sx?$/.test(file);

/** Where else a package may have its programs. */
const otherPlaces = ['src', 'dist', 'build', 'lib', 'bin', 'server'];
/** How a program is usually called. */
const usualNames = /^(server|app|index|main)\.[cm]?[jt]sx?$/;

/** The failure NO_SUCH_SCRIPT. Reads directories, so it is for a word that is nothing else either. */
export function noSuchScript(word: string, cwd: string): NsvError {
  const refusal = refusalAt(resolve(cwd, word));
  if (refusal !== undefined)
    return failure(
      'NO_SUCH_SCRIPT',
      { script: word, refusal },
      { hint: 'check who may enter the directories above it ("namei -l" lists them), and who you are' },
    );
  return failure('NO_SUCH_SCRIPT', { script: word, guess: /\s/.test(word) ? undefined : similarFile(word, cwd) });
}

/** As a path from `cwd`: one that is spelled alike, the same one elsewhere, or the only one with a usual name. */
function similarFile(word: string, cwd: string): string | undefined {
  const [directory, name] = [dirname(word), basename(word)];
  const files = filesIn(resolve(cwd, directory)).filter((file) => isScript(file) || extname(file) === extname(name));
  const stem = nearest(stemOf(name), files.map(stemOf));
  const alike = files.find((file) => stemOf(file) === stem);
  if (alike !== undefined) return join(directory, alike);
  if (!isScript(name)) return undefined;
  const elsewhere = otherPlaces.map((place) => join(directory, place, name)).find((path) => isFile(resolve(cwd, path)));
  if (elsewhere !== undefined) return elsewhere;
  const [usual, ...others] = files.filter((file) => usualNames.test(file));
  return usual !== undefined && others.length === 0 ? join(directory, usual) : undefined;
}

function filesIn(directory: string): string[] {
  try {
    return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [] : entry.name));
  } catch {
    return [];
  }
}

function stemOf(file: string): string {
  return basename(file, extname(file));
}
