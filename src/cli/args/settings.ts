// The flags for app settings, used by `nsv start` and `nsv run`.
import { type AppSettings, type FieldName, optionName } from '../../config/app-spec.ts';
import { instanceCountOf } from '../../config/instances.ts';
import { fields } from '../../config/options/fields.ts';
import { listOf, type Parser, text } from '../../config/options/parsers.ts';
import type { Declaration } from '../../config/resolve.ts';
import type { SpecChanges } from '../../config/resolve-changes.ts';
import { shellWords } from '../../config/shell-words.ts';
import { failure } from '../../shared/errors.ts';
import type { Input, OptionRow } from '../command.ts';
import { attributeOf, type Flag, flagsOf, longFlag, readFlags, rowsOf } from './flags.ts';
import { probeFlags, withProbeParts } from './probe-flags.ts';

/** The settings that the user gave on the command line. */
export type FlagSettings = Declaration['settings'];

/** Empty text is valid: `--node-args "$NODE_ARGS"`. */
const shellArgs: Parser<string[]> = (input) => (input === '' ? [] : shellWords(text(input)));

/** Flags that are parsed differently from the same setting in a file. */
const parsers: Partial<Record<FieldName, Parser<unknown>>> = {
  instances: instanceCountOf,
  interpreterArgs: shellArgs,
  // PM2 takes a schedule away by 0.
  cronRestart: (input) => (input === '0' ? undefined : text(input)),
  watch: (input) => (input === true ? ['.'] : listOf(text)(input)),
};

const more: readonly Flag<FieldName>[] = [
  {
    spelling: '--disable-logs',
    about: 'keep no logs',
    sets: ['outFile', 'errorFile', 'logFile'],
    parse: () => '/dev/null',
  },
  {
    spelling: '--cron <pattern>',
    about: 'same as --cron-restart',
    sets: ['cronRestart'],
    parse: parsers.cronRestart!,
    hidden: 'alias',
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
  return rowsOf([...flagsOf(fields, parsers, shown), ...probeFlags, ...more]);
}

/** Reads all given flags; throws one BAD_OPTION that lists every error. */
export function flagSettingsOf(options: Input['options']): FlagSettings {
  const given = readFlags([...flagsOf(fields, parsers), ...probeFlags, ...more], options);
  return withProbeParts(given) as FlagSettings;
}

/** Rejects settings for an app that the daemon already knows: it is started with its own. */
export function rejectSettings(settings: FlagSettings, app: string): void {
  const given = Object.keys(settings) as FieldName[];
  if (given.length === 0) return;
  const flags = given.map(optionName).join(', ');
  throw failure('BAD_OPTION', {
    problems: [
      `${flags}: "nsv start" does not change an existing app; use "nsv restart ${app}" or "nsv reload ${app}" with these options`,
    ],
  });
}

/** Rejects one name for several apps. */
export function rejectSharedName({ name }: FlagSettings, count: number, what: 'apps' | 'programs'): void {
  if (name === undefined || count < 2) return;
  const hint = what === 'programs' ? ' (arguments for a program go after --)' : '';
  throw failure('BAD_OPTION', { problems: [`--name "${name}" cannot be shared by ${count} ${what}${hint}`] });
}

/** A setting without a default cannot be taken away. */
const changeable = [...flagsOf(fields, parsers), ...more].filter(
  ({ sets }) => !sets.some((key) => ['name', 'cwd'].includes(key)),
);

/** Each flag of `settingOptions`, and its opposite, which takes the setting away. */
export const changeOptions: readonly OptionRow[] = [
  ...settingOptions.map(([spelling, about]): OptionRow => [spelling, about, 'unlisted']),
  ...changeable.map(({ spelling, about }): OptionRow => [oppositeOf(spelling), about, 'unlisted']),
];

/** Reads all given flags; the opposite of a flag, or the value `null`, clears a setting. Throws like `settingsOf`. */
export function changesOf(options: Input['options']): Pick<SpecChanges, 'settings' | 'cleared'> {
  const taken = changeable.filter((flag) => isTakenAway(flag.spelling, options[attributeOf(flag.spelling)]));
  const names = new Set(taken.map(({ spelling }) => attributeOf(spelling)));
  const given = Object.fromEntries(Object.entries(options).filter(([name]) => !names.has(name)));
  const cleared = new Set(taken.flatMap(({ sets }) => sets as FieldName[]));
  return { settings: flagSettingsOf(given), cleared: [...cleared] };
}

function oppositeOf(spelling: string): string {
  const flag = longFlag(spelling);
  return flag.startsWith('--no-') ? flag.replace('--no-', '--') : flag.replace('--', '--no-');
}

function isTakenAway(spelling: string, given: Input['options'][string] | undefined): boolean {
  const hasValue = /[<[]/.test(spelling);
  // What may be repeated is a list.
  return given === spelling.includes('--no-') || (hasValue && String(given) === 'null');
}

/** Adds the umask of the shell, unless the user has named one. */
export function ofShell<T extends Pick<AppSettings, 'umask'>>(settings: T): T {
  return { umask: process.umask().toString(8).padStart(3, '0'), ...settings };
}
