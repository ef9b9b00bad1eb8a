import { type Command, jsonOption, targetsArgument } from '../command.ts';
import { printValues } from '../print.ts';

export const id: Command = {
  summary: 'prints the ids of processes, one per line',
  arguments: [targetsArgument],
  options: [jsonOption],
  examples: [['nsv id web', 'ids of all instances of an app']],
  async run(context, { words }) {
    const client = await context.connect();
    const ids = (await client.list({ targets: words })).map(({ id }) => id);
    printValues(context.out, ids);
  },
};
