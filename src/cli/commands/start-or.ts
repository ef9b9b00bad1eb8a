// PM2's startOrRestart, startOrReload and startOrGracefulReload: the same as nsv's restart and reload of a config file.
import { findConfigFile } from '../../config/config-file.ts';
import { failure } from '../../shared/errors.ts';
import { configOptions } from '../args/config-word.ts';
import { updateEnvOption } from '../args/update-env.ts';
import { type Command, jsonOption } from '../command.ts';
import { updateConfig } from '../plans/config-files/bring-up.ts';

function startOr(how: 'restart' | 'reload', name: string): Command {
  return {
    summary: `${how}s the apps of a config file; starts those that are missing`,
    arguments: [['[config]', 'config file, or - for standard input (default: the one in this directory)']],
    options: [updateEnvOption, ...configOptions, jsonOption],
    examples: [[`nsv ${name} ecosystem.config.js`, `same as nsv ${how}`]],
    async run(context, input) {
      const word = input.words[0] ?? findConfigFile(context);
      if (word === undefined) throw failure('NO_CONFIG', { directory: context.cwd });
      await updateConfig(context, word, input, { how });
    },
  };
}

export const startOrRestart = startOr('restart', 'startOrRestart');
export const startOrReload = startOr('reload', 'startOrReload');
