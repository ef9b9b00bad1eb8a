import { type Command, jsonOption, targetsArgument } from '../command.ts';
import { printProcesses } from '../print.ts';

export const deleteApps: Command = {
  summary: 'stops apps and forgets them; their log files stay',
  notes: 'Prints the processes that were deleted.',
  arguments: [targetsArgument],
  options: [jsonOption],
  examples: [
    ['nsv delete web', 'an app with all its instances'],
    ['nsv delete all', 'everything'],
  ],
  async run(context, { words }) {
    const client = await context.connect();
    await printProcesses(context.out, await client.delete({ targets: words }));
  },
};
