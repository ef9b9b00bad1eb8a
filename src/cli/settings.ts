// The flags of `nsv start` that set up an app: made from the option table, and read by its parsers.
import { type AppSettings, type FieldName, optionName } from '../config/app-spec.ts';
import { type Field, fields, type InstanceWish, instanceWish } from '../config/fields.ts';
import { BadValue, type Parser, text, texts } from '../config/parsers.ts';
import { failure } from '../shared/errors.ts';
import type { Input, Row } from './command.ts';
import { settingText } from './render/setting.ts';
import { shellWords } from './shell-words.ts';

/** What the user said about an app. */
export type Settings = Omit<AppSettings, 'instances'> & { instances?: InstanceWish };

interface Flag {
  /** As commander spells it. */
  spelling: string;
  about: string;
  sets: readonly FieldName[];
  parse: Parser<unknown>;
}

const rows = Object.entries(fields) as [FieldName, Field<unknown>][];
const shellArgs: Parser<string[]> = (input) => shellWords(text(input));

/** Where a flag is read differently from the same setting in a file. */
const flagParsers: Partial<Record<FieldName, Parser<unknown>>> = {
  instances: instanceWish,
  interpreterArgs: shellArgs,
  watch: (input) => (input === true ? ['.'] : texts(String(input).split(','))),
};

const flags: readonly Flag[] = [
  ...rows.flatMap(([key, row]) => (row.flag ? [flagOf(key, row, row.flag)] : [])),
  { spelling: '-l, --log <file>', about: 'file for both', sets: ['outFile', 'errorFile'], parse: fields.outFile.parse },
  {
    spelling: '--node-args <args>',
    about: 'the same as --interpreter-args',
    sets: ['interpreterArgs'],
    parse: shellArgs,
  },
];

export const settingOptions: readonly Row[] = flags.map(({ spelling, about }) => [spelling, about]);

/** Reads all flags that were given; throws one BAD_OPTION that names every mistake. */
export function settingsOf(options: Input['options']): Settings {
  const problems: string[] = [];
  const settings: Partial<Record<FieldName, unknown>> = {};
  for (const { spelling, sets, parse } of flags) {
    const given = options[attributeOf(spelling)];
    if (given === undefined) continue;
    try {
      const value = parse(given);
      for (const key of sets) settings[key] = value;
    } catch (error) {
      if (!(error instanceof BadValue)) throw error;
      problems.push(`${longFlag(spelling)} ${error.message}`);
    }
  }
  if (problems.length > 0) throw failure('BAD_OPTION', { problems });
  return settings as Settings;
}

/** An app that the daemon knows keeps its settings. */
export function rejectSettings(settings: Settings): void {
  const given = Object.keys(settings) as FieldName[];
  if (given.length === 0) return;
  const problems = given.map(
    (key) => `${optionName(key)} cannot change an app that exists: delete it and start it anew`,
  );
  throw failure('BAD_OPTION', { problems });
}

function flagOf(key: FieldName, row: Field<unknown>, spelling: string): Flag {
  const isSwitch = !/[<[]/.test(spelling);
  const otherwise = row.shown ?? settingText(key, row.default);
  const about = isSwitch || otherwise === '' ? row.doc : `${row.doc} (default: ${otherwise})`;
  return { spelling, about, sets: [key], parse: flagParsers[key] ?? row.parse };
}

function longFlag(spelling: string): string {
  return /--[\w-]+/.exec(spelling)?.[0] ?? spelling;
}

/** Commander's name for a flag: `--no-autorestart` sets `autorestart`, `--kill-timeout` sets `killTimeout`. */
function attributeOf(spelling: string): string {
  return longFlag(spelling)
    .replace(/^--(no-)?/, '')
    .replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
