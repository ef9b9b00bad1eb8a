import { configOptions } from '../args/config-word.ts';
import { updateEnvOption } from '../args/update-env.ts';
import { type Command, jsonOption, targetsOrConfigArgument } from '../command.ts';
import { newSettingsNotes, newSettingsOptions, renewApps } from '../plans/change-apps.ts';

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
  run: (context, input) => renewApps(context, input, 'restart'),
};
