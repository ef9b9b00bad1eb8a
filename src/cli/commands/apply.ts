import { configArgument, configOptions, configOrDefault } from '../args/config-word.ts';
import { updateEnvOption } from '../args/update-env.ts';
import { type Command, jsonOption } from '../command.ts';
import { applyConfig } from '../plans/config-files/apply.ts';

export const apply: Command = {
  summary: 'starts, reloads and stops apps until they match the config file',
  notes: `Starts apps that are missing, reloads apps whose settings differ from the file, and changes the number of instances. Apps that
were started from this file and are no longer in it are removed with --prune, or after you confirm. Other apps are left alone. A second
run changes nothing.

Apps that were changed by hand are changed back. Use the same --env each time. A different shell environment does not count as
a change.`,
  arguments: [configArgument],
  options: [
    ['--dry-run', 'print what would change, and change nothing'],
    ['--prune', 'remove apps that are no longer in the file, without asking'],
    updateEnvOption,
    ...configOptions,
    jsonOption,
  ],
  examples: [
    ['nsv apply', 'apply the config file in this directory'],
    ['nsv apply --dry-run', 'show what would change'],
    ['nsv apply apps.yaml --prune', 'for a deployment script'],
  ],
  async run(context, input) {
    await applyConfig(context, configOrDefault(context, input.words), input);
  },
};
