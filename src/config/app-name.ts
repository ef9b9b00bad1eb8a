// Names of apps: what they may contain, and how they appear in file names.
import { BadValue, type Parser, taking, text } from './options/parsers.ts';

const longest = 128;

/** Letters, digits and the characters used in names of packages, paths and environments: `@acme/api`, `api:staging`. */
export const appName: Parser<string> = taking({ type: 'string' }, (input) => {
  const name = text(input);
  const isShort = inFileName(name).length <= longest;
  if (isShort && /^[\w@+ :][\w@.+ :/-]*$/.test(name) && name !== 'all' && !/^\d+$/.test(name)) return name;
  throw new BadValue(
    `must be a name of letters, digits, spaces and . _ @ + : / -, other than "all" or a number, not ${JSON.stringify(name)}`,
  );
});

/** Derives a valid app name from the name of a program. */
export function nameFrom(title: string): string {
  const name =
    title
      .replace(/[^\w@.+ -]/g, '-')
      .replace(/^[.-]+/, '')
      .slice(0, 120) || 'app';
  return name === 'all' || /^\d+$/.test(name) ? `app-${name}` : name;
}

/** Escapes slashes. No name contains a `%`, so two names never map to the same file name. */
export function inFileName(name: string): string {
  return name.replaceAll('/', '%2F');
}

export function fromFileName(name: string): string {
  return name.replaceAll('%2F', '/');
}
