// Selects the apps of a config file for a command.
import { namesOf } from '../../../client/running.ts';
import { type ConfiguredApp, type LoadedConfig, readConfig, resolveConfig } from '../../../config/file/read.ts';
import { failure } from '../../../shared/errors.ts';
import { didYouMean, nearest } from '../../../shared/nearest.ts';
import { configWord } from '../../args/config-word.ts';
import { type FlagSettings, rejectSharedName } from '../../args/settings.ts';
import type { Context, Input } from '../../command.ts';

export type Invocation = Pick<Context, 'cwd' | 'env' | 'dialect' | 'printNotices'>;

/** The apps of the file selected by `--only`. Notices which keys nsv does not support. */
export async function chosenConfig(
  { printNotices, dialect, ...at }: Invocation,
  word: string,
  { options }: Input,
): Promise<LoadedConfig> {
  const environment = typeof options.env === 'string' ? options.env : undefined;
  const config = await readConfig({ word, environment, dialect }, at);
  printNotices(config.loaded, config.notes);
  return options.only === undefined ? config : { ...config, apps: onlyThose(String(options.only), config) };
}

/** The selected apps, resolved. `more` are settings of the command line, which override those of the file. */
export async function chosenApps(
  place: Invocation,
  word: string,
  input: Input,
  more: FlagSettings,
  defaults: FlagSettings = {},
): Promise<ConfiguredApp[]> {
  const config = await chosenConfig(place, word, input);
  rejectSharedName(more, config.apps.length, 'apps');
  return resolveConfig(config, place, more, defaults);
}

/**
 * The words of a command, or for a config file those of its apps that the daemon knows. The programs need not exist any more.
 * Throws NO_SUCH_APP if it knows none.
 */
export async function targetsOf(context: Context, input: Input): Promise<string[]> {
  const file = configWord(context, input.words, input);
  if (file === undefined) return input.words;
  const { apps, loaded } = await chosenConfig(context, file, input);
  loaded.mistakes.throwIfAny();
  const client = await context.connect();
  const known = namesOf(await client.list({ targets: [] }));
  const targets = apps.map(({ name }) => name).filter((name) => known.has(name));
  if (targets.length === 0) throw failure('NO_SUCH_APP', { target: loaded.shown });
  return targets;
}

function onlyThose(list: string, { apps, loaded }: LoadedConfig): LoadedConfig['apps'] {
  const words = list.split(',').map((word) => word.trim().normalize());
  const known = apps.flatMap(({ name, settings }) => [name, settings.namespace ?? 'default']);
  const problems = words
    .filter((word) => !known.includes(word))
    .map((word) => `--only "${word}" matches no app in ${loaded.shown}${didYouMean(nearest(word, known))}`);
  if (problems.length > 0) throw failure('BAD_OPTION', { problems });
  return apps.filter(({ name, settings }) => words.includes(name) || words.includes(settings.namespace ?? 'default'));
}
