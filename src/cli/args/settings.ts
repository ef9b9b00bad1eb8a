// The flags for app settings, used by `nsv start` and `nsv run`.
import { type AppSettings, type FieldName, optionName } from '../../config/app-spec.ts';
import { withCommonLog } from '../../config/common-log.ts';
import { fields, type InstanceCount, instanceCountOf } from '../../config/options/fields.ts';
import { type Parser, text, texts } from '../../config/options/parsers.ts';
import { shellWords } from '../../config/shell-words.ts';
import { failure } from '../../shared/errors.ts';
import type { Input, OptionRow } from '../command.ts';
import { type Flag, flagsOf, readFlags } from './flags.ts';
import { probeFlags, withProbeParts } from './probe-flags.ts';

/** The settings that the user gave on the command line. */
export type Settings = Omit<AppSettings, 'instances'> & { instances?: InstanceCount };

/** Empty text is valid: `--node-args "$NODE_ARGS"`. */
const shellArgs: Parser<string[]> = (input) => (input === '' ? [] : shellWords(text(input)));

/** Flags that are parsed differently from the same setting in a file. */
const parsers: Partial<Record<FieldName, Parser<unknown>>> = {
  instances: instanceCountOf,
  interpreterArgs: shellArgs,
  watch: (input) => (input === true ? ['.'] : texts(String(input).split(','))),
};

const more: readonly Flag<FieldName | 'log'>[] = [
  {
    spelling: '-l, --log <file>',
    about: 'one file for standard output and standard error of all instances',
    sets: ['log'],
    parse: fields.outFile.parse,
  },
  {
    spelling: '--disable-logs',
    about: 'keep no logs',
    sets: ['outFile', 'errorFile'],
    parse: () => '/dev/null',
  },
  {
    spelling: '--node-args <args>',
    about: 'arguments for Node; same as --interpreter-args',
    sets: ['interpreterArgs'],
    parse: shellArgs,
  },
];

export const settingOptions: readonly OptionRow[] = settingRows();

/** `shown`: the defaults of a command that has others. */
export function settingRows(shown: Partial<Record<FieldName, string>> = {}): OptionRow[] {
  return [...flagsOf(fields, { parsers, shown }), ...probeFlags, ...more].map(({ spelling, about, former }) => [
    spelling,
    about,
    former,
  ]);
}

/** Reads all given flags; throws one BAD_OPTION that lists every error. */
export function settingsOf(options: Input['options']): Settings {
  const { log, ...given } = readFlags([...flagsOf(fields, { parsers }), ...probeFlags, ...more], options);
  return withCommonLog(log as string | undefined, withProbeParts(given) as Settings);
}

/** Rejects settings for an app that the daemon already knows: it keeps its own. */
export function rejectSettings(settings: Settings): void {
  const given = Object.keys(settings) as FieldName[];
  if (given.length === 0) return;
  const problems = given.map((key) => `${optionName(key)} cannot change an existing app: delete it and start it again`);
  throw failure('BAD_OPTION', { problems });
}
