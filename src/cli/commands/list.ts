import { type Command, jsonOption, listIfRunning, someTargetsArgument } from '../command.ts';
import { printProcesses } from '../print.ts';

export const list: Command = {
  summary: 'shows the processes',
  notes: `On a terminal the least important columns give way when it is narrow. Into a pipe go all of them, without
frames, at least two blanks apart, "-" for nothing. Without a daemon the list is empty.`,
  arguments: [someTargetsArgument],
  options: [jsonOption],
  examples: [
    ['nsv list', 'everything'],
    ['nsv list web "/^api-/"', '"web", and what begins with "api-"'],
    ['nsv list --json | jq ".[].pid"', 'for programs'],
  ],
  async run(context, { words }) {
    await printProcesses(context.out, await listIfRunning(context, words));
  },
};
