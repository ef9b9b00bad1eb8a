import { findConfigFile } from '../../config/config-file.ts';
import { failure } from '../../shared/errors.ts';
import { configOptions } from '../args/config-word.ts';
import { updateEnvOption } from '../args/update-env.ts';
import { type Command, jsonOption } from '../command.ts';
import { applyConfig } from '../plans/config-files/apply.ts';

export const apply: Command = {
  summary: 'makes what runs equal to a config file, and touches nothing else',
  notes: `Starts what is missing, reloads what the file says otherwise than before, changes the number of instances, and removes
what came from this file and is gone from it (--prune, or when you say yes). Run again, it does nothing. An app is also changed back
that was changed by hand. Say the same --env each time; the environment of the shell is no change.`,
  arguments: [['[config]', 'config file, or - for standard input; by default that of the directory']],
  options: [
    ['--dry-run', 'print what would be done, and do nothing'],
    ['--prune', 'remove without asking what is gone from the file'],
    updateEnvOption,
    ...configOptions,
    jsonOption,
  ],
  examples: [
    ['nsv apply', 'the config file of this directory'],
    ['nsv apply --dry-run', 'only the differences'],
    ['nsv apply apps.yaml --prune', 'in a deployment'],
  ],
  async run(context, input) {
    const word = input.words[0] ?? findConfigFile(context.cwd);
    if (word === undefined) throw failure('NO_CONFIG', { directory: context.cwd });
    await applyConfig(context, word, input);
  },
};
