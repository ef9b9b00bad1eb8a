// PM2's startOrRestart, startOrReload and startOrGracefulReload: the same as nsv's restart and reload of a config file.
import { configArgument, configOptions, configOrDefault } from '../args/config-word.ts';
import { updateEnvOption } from '../args/update-env.ts';
import { type Command, jsonOption } from '../command.ts';
import { updateConfig } from '../plans/config-files/bring-up.ts';

function startOr(how: 'restart' | 'reload', name: string): Command {
  return {
    summary: `${how}s the apps of a config file; starts those that are missing`,
    arguments: [configArgument],
    options: [updateEnvOption, ...configOptions, jsonOption],
    examples: [[`nsv ${name} ecosystem.config.js`, `same as nsv ${how}`]],
    async run(context, input) {
      await updateConfig(context, configOrDefault(context, input.words), input, { how });
    },
  };
}

export const startOrRestart = startOr('restart', 'startOrRestart');
export const startOrReload = startOr('reload', 'startOrReload');
