import { configOptions, configWord } from '../args/config-word.ts';
import { type Command, jsonOption, targetsOrConfigArgument } from '../command.ts';
import { printDeleted, removeConfig } from '../plans/config-files/take-down.ts';

export const deleteApps: Command = {
  summary: 'stops apps and removes them from the list; keeps their log files',
  notes: 'Prints what was deleted, and the processes that are left; with --json, those that were deleted.',
  arguments: [targetsOrConfigArgument],
  options: [...configOptions, jsonOption],
  examples: [
    ['nsv delete web', 'one app with all its instances'],
    ['nsv delete all', 'all apps'],
  ],
  async run(context, input) {
    const { words } = input;
    const config = configWord(context, words, input);
    if (config !== undefined) return removeConfig(context, config, input);
    const client = await context.connect();
    await printDeleted(context, await client.delete({ targets: words }));
  },
};
