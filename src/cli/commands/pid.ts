import { type Command, jsonOption, someTargetsArgument } from '../command.ts';
import { printValues } from '../print.ts';

export const pid: Command = {
  summary: 'prints the pids of running processes, one a line',
  arguments: [someTargetsArgument],
  options: [jsonOption],
  examples: [
    ['nsv pid web', 'of an app'],
    ['nsv pid', 'of all apps'],
  ],
  async run(context, { words }) {
    const client = await context.connect();
    const processes = await client.list({ targets: words });
    printValues(
      context.out,
      processes.flatMap((process) => process.pid ?? []),
    );
  },
};
