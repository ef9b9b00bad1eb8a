// Names of apps: what they may contain, and how they appear in file names.
import { BadValue, type Parser, taking, text } from './options/parsers.ts';

/** Bytes: names of files may have 255. */
const longest = 128;

/**
 * Letters of all scripts, digits and the characters used in names of packages, paths and environments, and in titles: `@acme/api`,
 * `api:staging`, `API (Python)`.
 * Composed as keyboards do it (https://unicode.org/reports/tr15), so that a name can be typed whatever wrote it.
 */
export const appName: Parser<string> = taking({ type: 'string' }, (input) => {
  const name = text(input).normalize();
  const isShort = Buffer.byteLength(inFileName(name)) <= longest;
  const isMeant = /^[\p{L}\p{Nd}_@+ :([#][\p{L}\p{M}\p{Nd}_@.+ :()[\]#&=/-]*$/u.test(name);
  if (isShort && isMeant && name !== 'all' && !/^\d+$/.test(name)) return name;
  const wanted = isShort ? 'letters, digits, spaces and . _ @ + : ( ) [ ] # & = / -' : `at most ${longest} bytes`;
  throw new BadValue(`must be a name of ${wanted}, other than "all" or a number, not ${JSON.stringify(name)}`);
});

/** What is to be the name of an app, composed in the same way. */
export const appReference: Parser<string> = taking({ type: 'string' }, (input) => text(input).normalize());

/** Derives a valid app name from the name of a program. */
export function nameFrom(title: string): string {
  const whole = title
    .normalize()
    .replace(/[^\p{L}\p{M}\p{Nd}_@.+ -]/gu, '-')
    .replace(/^[.\p{M}-]+/u, '');
  const name =
    Buffer.from(whole)
      .subarray(0, 120)
      .toString()
      .replace(/\ufffd+$/, '') || 'app';
  return name === 'all' || /^\d+$/.test(name) ? `app-${name}` : name;
}

/** Escapes slashes. No name contains a `%`, so two names never map to the same file name. */
export function inFileName(name: string): string {
  return name.replaceAll('/', '%2F');
}

export function fromFileName(name: string): string {
  return name.replaceAll('%2F', '/');
}
