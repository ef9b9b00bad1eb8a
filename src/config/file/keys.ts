// The keys of an app in a config file: the option table (snake_case and camelCase), PM2's aliases, and keys only for
// files.
import type { FieldName } from '../app-spec.ts';
import { instanceCountOf } from '../instances.ts';
import type { Field } from '../options/field.ts';
import { fields } from '../options/fields.ts';
import { BadValue, booleanFlag, integer, listOf, oneOf, type Parser, taking, text, texts } from '../options/parsers.ts';
import { shellWords } from '../shell-words.ts';

export interface FileKey {
  /** Aliases, besides the one in snake_case. */
  also: readonly string[];
  parse: Parser<unknown>;
  doc: string;
  /** How the default reads in docs, if the value itself does not explain it. */
  shown?: string;
}

/** Accepts numbers and booleans as text, because YAML parses unquoted words such as `on` or `1.0` that way. */
const word: Parser<string> = taking({ type: ['string', 'number'] }, (input) =>
  text(['number', 'boolean'].includes(typeof input) ? String(input) : input),
);

/** A list, or one string that is split as a shell would. */
const words: Parser<string[]> = taking(
  { anyOf: [{ type: 'string' }, { type: 'array', items: { type: ['string', 'number', 'boolean'] } }] },
  (input) =>
    Array.isArray(input)
      ? texts(input.map((item) => (['number', 'boolean'].includes(typeof item) ? String(item) : item)))
      : shellWords(word(input)),
);

/** `NULL` is PM2's name for /dev/null. */
const logFile: Parser<string> = taking({ type: 'string' }, (input) => (input === 'NULL' ? '/dev/null' : text(input)));

const execMode: Parser<'fork' | 'cluster'> = taking(
  { enum: ['fork', 'cluster', 'fork_mode', 'cluster_mode'] },
  (input) => oneOf('fork', 'cluster')(typeof input === 'string' ? input.replace(/_mode$/, '') : input),
);

const value = { type: ['string', 'number', 'boolean', 'object', 'array'] } as const;

const variables: Parser<Record<string, string>> = taking({ type: 'object', additionalProperties: value }, (input) => {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw new BadValue(`must be an object of variables, not ${JSON.stringify(input)}`);
  // Skips undefined values: a config file may say `{ DEBUG: process.env.DEBUG }` while that is not set.
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, variable(name, value)]));
});

/** Objects and lists become JSON, as in PM2. */
function variable(name: string, value: unknown): string {
  if (typeof value === 'string' && !value.includes('\0')) return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'object' && value !== null) return JSON.stringify(value);
  throw new BadValue(`must have a string, number, boolean, object or list for ${name}, not ${JSON.stringify(value)}`);
}

/** Settings that a file cannot contain: they are computed, or come from the shell. */
const hidden: readonly FieldName[] = ['node', 'listenSuffices', 'binPath', 'env', 'configFile', 'configEnv', 'fileEnv'];

/** Settings that a file parses, names or describes differently from the command line. */
const deviations: Partial<Record<FieldName, Partial<FileKey>>> = {
  script: {
    also: ['exec', 'cmd', 'command'],
    doc: 'file, directory, program or command line to run, relative to `cwd`',
  },
  args: { parse: words },
  interpreter: { also: ['exec_interpreter'] },
  interpreterArgs: { also: ['node_args', 'nodeArgs'], parse: words },
  instances: { parse: instanceCountOf },
  execMode: { parse: execMode },
  cwd: { shown: 'the directory of the config file' },
  filterEnv: {
    parse: taking({ anyOf: [{ type: 'boolean' }, listOf(text).takes!] }, (input) =>
      input === true ? [''] : input === false ? [] : listOf(text)(input),
    ),
    doc: 'do not pass on variables of the shell that start with one of these (list); true for all variables',
  },
  autorestart: { doc: 'restart the app when it exits' },
  drainOnCrash: {
    doc: 'on an uncaught exception, start a replacement and finish other requests first; false exits at once, as Node does',
  },
  cronRestart: {
    also: ['cron'],
    parse: taking({ type: 'string' }, (input) => (input === 0 || input === false ? undefined : text(input))),
  },
  outFile: { also: ['out', 'output', 'out_log'], parse: logFile },
  errorFile: { also: ['error', 'err', 'err_file', 'err_log'], parse: logFile },
  logFile: {
    also: ['log'],
    // PM2 also accepts a boolean here, which names no file.
    parse: taking({ type: ['string', 'boolean'] }, (input) =>
      typeof input === 'boolean' ? undefined : logFile(input),
    ),
    doc: 'one file for both outputs of all instances, also if `out_file` or `error_file` is set',
  },
  mergeLogs: { also: ['combine_logs'] },
  pidFile: { also: ['pid'] },
  uid: { also: ['user'], parse: word },
  gid: { also: ['group'], parse: word },
  groups: { parse: listOf(word) },
  watch: {
    parse: taking({ anyOf: [{ type: ['boolean', 'string'] }, texts.takes!] }, (input) =>
      input === true ? ['.'] : input === false ? [] : typeof input === 'string' ? [input] : texts(input),
    ),
    doc: 'restart when files change: true for `cwd`, or a list of paths and globs',
  },
};

const key = <T>(row: { also?: readonly string[]; parse: Parser<T>; doc: string; shown?: string }) => ({
  also: [],
  ...row,
});

/** Keys that are not settings themselves: `declare.ts` derives settings from them. */
const fileOnly = {
  env: key({ parse: variables, doc: 'environment variables; override those of the shell', shown: 'none' }),
  envFile: key({
    parse: listOf(text),
    doc: 'file with variables (`.env`), or a list of files; `env` overrides it',
    shown: 'none',
  }),
  port: key({ parse: integer(0, 65_535), doc: 'sets the variable PORT', shown: 'none' }),
  appendEnvToName: key({
    parse: booleanFlag,
    doc: 'add the name of `--env` to the name of the app: `web-prod`',
    shown: 'false',
  }),
  autostart: key({
    parse: booleanFlag,
    doc: 'start the app with the file; false only adds it to the list',
    shown: 'true',
  }),
  disableLogs: key({ parse: booleanFlag, doc: 'keep no logs', shown: 'false' }),
  sourceMapSupport: key({ parse: booleanFlag, doc: 'adds `--enable-source-maps` to `node_args`', shown: 'false' }),
};

export type FileOnly = { [K in keyof typeof fileOnly]?: ReturnType<(typeof fileOnly)[K]['parse']> };

/** All keys by their name in camelCase. */
export const fileKeys: Readonly<Record<string, FileKey>> = { ...fromFields(), ...fileOnly };

function fromFields(): Record<string, FileKey> {
  const rows = Object.entries(fields) as [FieldName, Field<unknown>][];
  const shown = rows.filter(([name]) => !hidden.includes(name));
  return Object.fromEntries(shown.map(([name, row]) => [name, { also: [], ...row, ...deviations[name] }]));
}

export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** All spellings of a key, the one in snake_case first. */
export function spellingsOf(name: string): string[] {
  return [...new Set([snakeCase(name), name, ...(fileKeys[name]?.also ?? [])])];
}

const bySpelling = new Map(
  Object.keys(fileKeys).flatMap((name) => spellingsOf(name).map((spelling) => [spelling, name])),
);

/** The name in camelCase for any spelling of a key. */
export function configKeyOf(spelling: string): string | undefined {
  return bySpelling.get(spelling);
}

/** `env_production` holds the variables for `--env production`. */
export function environmentNameOf(spelling: string): string | undefined {
  return configKeyOf(spelling) ? undefined : /^env_(.+)$/.exec(spelling)?.[1];
}

export const spellings: readonly string[] = [...bySpelling.keys()];
