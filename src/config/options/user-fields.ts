// The user as whom an app runs, and what it gets of the shell that started it: rows of the option table.
import { field, optionalField } from './field.ts';
import { BadValue, listOf, type Parser, taking, text } from './parsers.ts';

/** Octal digits in text. A number is ambiguous: YAML and JavaScript read 022 in different ways. */
export const umaskOf: Parser<string> = taking({ type: 'string' }, (input) => {
  const [, digits] = /^0?([0-7]{3})$/.exec(typeof input === 'string' ? input.trim() : '') ?? [];
  if (digits !== undefined) return digits;
  throw new BadValue(`must be three octal digits as text, such as "027", not ${JSON.stringify(input)}`);
});

/** `NAME`, or `NAME*` for all names that begin like this. */
const variables: Parser<string> = taking({ type: 'string' }, (input) => {
  const word = text(input);
  if (/^[A-Za-z_]\w*\*?$/.test(word)) return word;
  throw new BadValue(`must be names of environment variables, NAME* or "all", not ${JSON.stringify(input)}`);
});

export const userFields = {
  uid: optionalField({ flag: '--uid <user>', doc: 'user to run as', parse: text }),
  gid: optionalField({ flag: '--gid <group>', doc: 'group to run as', parse: text }),
  groups: field({
    flag: '--groups <groups>',
    doc: "supplementary groups, comma-separated, besides the user's own",
    parse: listOf(text),
    default: [],
  }),
  passEnv: field({
    flag: '--pass-env <names>',
    doc: 'with --uid: also pass these environment variables of the shell (comma-separated; NAME* or "all")',
    parse: listOf(variables),
    default: [],
  }),
  umask: field({
    flag: '--umask <mask>',
    doc: 'umask of the app, such as 027; also applies to its pid files and Unix sockets',
    shown: 'that of the shell; in config files 022',
    parse: umaskOf,
    default: '022',
  }),
};
