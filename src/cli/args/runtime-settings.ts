// Reads runtime settings as they are typed: `key=value`.
import { parseRuntimeKey } from '../../ipc/app/runtime-settings.ts';
import type { RuntimeValues } from '../../ipc/app/views.ts';
import { detailOf, failure } from '../../shared/errors.ts';

/** Throws BAD_USAGE. */
export function valuesOf(pairs: readonly string[]): RuntimeValues {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw failure('BAD_USAGE', { detail: `"${pair}" is not a setting: write key=value` });
      return [keyOf(pair.slice(0, at)), parsedValue(pair.slice(at + 1))];
    }),
  );
}

/** Throws BAD_USAGE. */
export function keysOf(words: readonly string[]): string[] {
  return words.map(keyOf);
}

function keyOf(word: string): string {
  try {
    return parseRuntimeKey(word);
  } catch (cause) {
    throw failure('BAD_USAGE', { detail: detailOf(cause) }, { cause });
  }
}

/** JSON if it can be read as JSON, else text. */
function parsedValue(word: string): unknown {
  try {
    return JSON.parse(word);
  } catch {
    return word;
  }
}
