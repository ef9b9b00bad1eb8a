import { configOptions } from '../args/config-word.ts';
import { type Command, jsonOption, targetsOrConfigArgument } from '../command.ts';
import { targetsOf } from '../plans/config-files/chosen.ts';
import { printProcesses } from '../print.ts';

export const stop: Command = {
  summary: 'stops processes and waits until they are gone',
  arguments: [targetsOrConfigArgument],
  options: [...configOptions, jsonOption],
  examples: [
    ['nsv stop web', 'all instances of an app'],
    ['nsv stop 0 3', 'two processes, by id'],
    ['nsv stop all', 'all apps'],
  ],
  async run(context, input) {
    const targets = await targetsOf(context, input);
    const client = await context.connect();
    await printProcesses(context.out, await client.stop({ targets }));
  },
};
