// Recognises a config file among the words of a command. config-files/ has the commands on one.
import { join, resolve } from 'node:path';
import { findConfigFile, isConfigFile, standardInput } from '../../config/config-file.ts';
import { isDirectory, isFile, type SearchPlace } from '../../os/programs.ts';
import { failure } from '../../shared/errors.ts';
import type { HelpRow, Input } from '../command.ts';
import type { StartRequest } from '../plans/start-plan.ts';

export const configOptions: readonly HelpRow[] = [
  ['--only <names>', 'only these apps or namespaces of the config file (comma-separated)'],
  ['--env <name>', 'add the variables of env_<name> in the file'],
];

/** The config file among the words, which must be the only word; undefined if there is none. Throws BAD_USAGE. */
export function configWord(
  { cwd }: Pick<SearchPlace, 'cwd'>,
  words: readonly string[],
  { options }: Input,
): string | undefined {
  const config = words.find((word) => isConfigFile(word) && (word === standardInput || isFile(resolve(cwd, word))));
  if (config !== undefined && words.length > 1) {
    throw failure('BAD_USAGE', { detail: `a config file must be the only argument: use "${config}" alone` });
  }
  const flag = ['only', 'env'].find((name) => options[name] !== undefined);
  if (config === undefined && words.length > 0 && flag !== undefined)
    throw failure('BAD_OPTION', { problems: [`--${flag} needs a config file`] });
  return config;
}

export const configArgument: HelpRow = [
  '[config]',
  'config file, or - for standard input (default: the one in this directory)',
];

/** The config file of a command that takes nothing else. Throws NO_CONFIG. */
export function configOrDefault(context: SearchPlace, [word]: readonly string[]): string {
  const config = word ?? findConfigFile(context);
  if (config === undefined) throw failure('NO_CONFIG', { directory: context.cwd });
  return config;
}

/** That of the current directory, without words, or of a directory that is the only word. A name without a slash is that of an app. */
function configIn({ cwd, env }: SearchPlace, words: readonly string[]): string | undefined {
  const [word = '.', ...others] = words;
  if (others.length > 0 || !/^\.{1,2}$|\//.test(word) || !isDirectory(resolve(cwd, word))) return undefined;
  const file = findConfigFile({ cwd: resolve(cwd, word), env });
  return file && join(word, file);
}

/** Like `configWord`, but defaults to the config file of the directory. Rejects words after `--`: files have `args`. */
export function configWordOrDefault(
  context: SearchPlace,
  { what, args }: Pick<StartRequest, 'what' | 'args'>,
  input: Input,
): string | undefined {
  const config = configWord(context, what, input) ?? configIn(context, input.words);
  if (config !== undefined && args[0] !== undefined)
    throw failure('BAD_USAGE', {
      detail: `apps of a config file take no arguments from the command line, such as "${args[0]}": set "args" in the file`,
    });
  return config;
}
