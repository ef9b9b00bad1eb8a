// Selects the apps of a config file for a command.
import { type ConfiguredApp, type LoadedConfig, readConfig, resolveConfig } from '../../../config/file/read.ts';
import { failure } from '../../../shared/errors.ts';
import { didYouMean, nearest } from '../../../shared/nearest.ts';
import type { FlagSettings } from '../../args/settings.ts';
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
  printNotices(config, config.notes);
  return options.only === undefined ? config : { ...config, apps: onlyThose(String(options.only), config) };
}

/** The selected apps, resolved. `more` are settings of the command line, which override those of the file. */
export async function chosenApps(
  place: Invocation,
  word: string,
  input: Input,
  { more = {}, defaults = {} }: { more?: FlagSettings; defaults?: FlagSettings } = {},
): Promise<ConfiguredApp[]> {
  const config = await chosenConfig(place, word, input);
  if (more.name !== undefined && config.apps.length > 1)
    throw failure('BAD_OPTION', { problems: [`--name "${more.name}" cannot be shared by ${config.apps.length} apps`] });
  return resolveConfig(config, place, more, defaults);
}

function onlyThose(list: string, { apps, shown }: LoadedConfig): LoadedConfig['apps'] {
  const words = list.split(',').map((word) => word.trim());
  const known = apps.flatMap(({ name, settings }) => [name, settings.namespace ?? 'default']);
  const problems = words
    .filter((word) => !known.includes(word))
    .map((word) => {
      return `--only "${word}" matches no app in ${shown}${didYouMean(nearest(word, known))}`;
    });
  if (problems.length > 0) throw failure('BAD_OPTION', { problems });
  return apps.filter(({ name, settings }) => words.includes(name) || words.includes(settings.namespace ?? 'default'));
}
