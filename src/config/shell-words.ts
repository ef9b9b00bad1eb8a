// Splits text into words as a shell would, with quotes and backslashes but without expansion.
import { BadValue } from './options/parsers.ts';

const word = /(?:[^\s'"\\]|\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*")+/gy;
const part = /\\([\s\S])|'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"/g;

/** Throws a BadValue if a quote is not closed. */
export function shellWords(text: string): string[] {
  const trimmed = text.trim();
  const words: string[] = [];
  word.lastIndex = 0;
  while (word.lastIndex < trimmed.length) {
    const match = word.exec(trimmed);
    if (!match) throw new BadValue(`has an unclosed quote: ${JSON.stringify(text)}`);
    words.push(unquoted(match[0]));
    word.lastIndex += /^\s*/.exec(trimmed.slice(word.lastIndex))?.[0].length ?? 0;
  }
  return words;
}

function unquoted(raw: string): string {
  return raw.replace(part, (_, escaped?: string, single?: string, double?: string) => {
    return escaped ?? single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? '';
  });
}
