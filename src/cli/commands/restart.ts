import { type Command, jsonOption, targetsArgument } from '../command.ts';
import { printProcesses } from '../print.ts';
import { renewedEnv, updateEnvOption } from '../update-env.ts';

export const restart: Command = {
  summary: 'stops processes and starts them again; returns when they are ready',
  arguments: [targetsArgument],
  options: [updateEnvOption, jsonOption],
  examples: [
    ['nsv restart web', 'all instances, one after another'],
    ['PORT=4000 nsv restart web --update-env', 'with the environment of this shell'],
  ],
  async run(context, { words, options }) {
    const client = await context.connect();
    await printProcesses(context.out, await client.restart({ targets: words, ...renewedEnv(context, options) }));
  },
};
