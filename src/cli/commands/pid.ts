import { type Command, jsonOption, someTargetsArgument } from '../command.ts';
import { printValues } from '../print.ts';

export const pid: Command = {
  summary: 'prints the pids of running processes, one per line',
  arguments: [someTargetsArgument],
  options: [jsonOption],
  examples: [
    ['nsv pid web', 'pids of one app'],
    ['nsv pid', 'pids of all apps'],
  ],
  async run(context, { words }) {
    const client = await context.connect();
    const pids = (await client.list({ targets: words })).flatMap(({ pid }) => pid ?? []);
    printValues(context.out, pids);
  },
};
