import { type Command, jsonOption, targetsArgument } from '../command.ts';
import { printProcesses } from '../print.ts';

export const reset: Command = {
  summary: 'sets restart counters to zero',
  arguments: [targetsArgument],
  options: [jsonOption],
  examples: [['nsv reset all', 'counters of all apps']],
  async run(context, { words }) {
    const client = await context.connect();
    await printProcesses(context.out, await client.reset({ targets: words }));
  },
};
