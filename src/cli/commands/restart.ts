import { configOptions, configWord } from '../args/config-word.ts';
import { renewedEnv, updateEnvOption } from '../args/update-env.ts';
import { type Command, jsonOption, targetsOrConfigArgument } from '../command.ts';
import { changeApps, newSettingsNotes, newSettingsOf, newSettingsOptions } from '../plans/change-apps.ts';
import { updateConfig } from '../plans/config-files/bring-up.ts';
import { printReady } from '../plans/ready.ts';

export const restart: Command = {
  summary: 'stops processes, starts them again, waits until they are ready',
  arguments: [targetsOrConfigArgument],
  notes: newSettingsNotes,
  options: [updateEnvOption, ...configOptions, jsonOption, ...newSettingsOptions],
  examples: [
    ['nsv restart web', 'all instances of an app'],
    ['nsv restart web --max-memory-restart 300M', 'with a new setting'],
    ['PORT=4000 nsv restart web --update-env', 'use the environment of this shell'],
  ],
  async run(context, input) {
    const { targets, changes } = newSettingsOf(input);
    const config = configWord(context, targets, input);
    if (config !== undefined) return updateConfig(context, config, input, { how: 'restart', changes });
    const client = await context.connect();
    const renewEnv = input.options.updateEnv === true;
    await printReady(context.out, () =>
      changes
        ? changeApps(context, client, targets, changes, { how: 'restart', parallel: 1, renewEnv })
        : client.restart({ targets, ...renewedEnv(context, input.options) }),
    );
  },
};
