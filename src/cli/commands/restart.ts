import { configOptions, configWord } from '../args/config-word.ts';
import { renewedEnv, updateEnvOption } from '../args/update-env.ts';
import { type Command, jsonOption, targetsOrConfigArgument } from '../command.ts';
import { updateConfig } from '../plans/config-files/bring-up.ts';
import { printProcesses } from '../print.ts';

export const restart: Command = {
  summary: 'stops processes, starts them again, waits until they are ready',
  arguments: [targetsOrConfigArgument],
  options: [updateEnvOption, ...configOptions, jsonOption],
  examples: [
    ['nsv restart web', 'all instances of an app'],
    ['PORT=4000 nsv restart web --update-env', 'use the environment of this shell'],
  ],
  async run(context, input) {
    const { words, options } = input;
    const config = configWord(context, words, input);
    if (config !== undefined) return updateConfig(context, config, input, 'restart');
    const client = await context.connect();
    await printProcesses(context.out, await client.restart({ targets: words, ...renewedEnv(context, options) }));
  },
};
