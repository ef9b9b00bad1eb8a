import { type Command, jsonOption, targetsArgument } from '../command.ts';
import { printProcesses } from '../print.ts';

export const stop: Command = {
  summary: 'stops processes; returns when the last one is gone',
  arguments: [targetsArgument],
  options: [jsonOption],
  examples: [
    ['nsv stop web', 'all instances of an app'],
    ['nsv stop 0 3', 'two processes by id'],
    ['nsv stop all', 'everything'],
  ],
  async run(context, { words }) {
    const client = await context.connect();
    await printProcesses(context.out, await client.stop({ targets: words }));
  },
};
