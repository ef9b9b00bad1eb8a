// What an app may be called, and how its name stands in the names of files.
import { BadValue, type Parser, taking, text } from './options/parsers.ts';

const longest = 128;

/** Letters, digits and the signs that names of packages, paths and environments have: `@acme/api`, `api:staging`. */
export const appName: Parser<string> = taking({ type: 'string' }, (input) => {
  const name = text(input);
  const isShort = inFileName(name).length <= longest;
  if (isShort && /^[\w@+ :][\w@.+ :/-]*$/.test(name) && name !== 'all' && !/^\d+$/.test(name)) return name;
  throw new BadValue(
    `must be a name of letters, digits, spaces and . _ @ + : / -, other than "all" or a number, not ${JSON.stringify(name)}`,
  );
});

/** The nearest name to that of a program. */
export function nameFrom(title: string): string {
  const name =
    title
      .replace(/[^\w@.+ -]/g, '-')
      .replace(/^[.-]+/, '')
      .slice(0, 120) || 'app';
  return name === 'all' || /^\d+$/.test(name) ? `app-${name}` : name;
}

/** Without a slash. No name has a `%`, so two never become one. */
export function inFileName(name: string): string {
  return name.replaceAll('/', '%2F');
}
