import { type Command, jsonOption, targetsArgument } from '../command.ts';
import { printProcesses } from '../print.ts';
import { renewedEnv, updateEnvOption } from '../update-env.ts';

export const reload: Command = {
  summary: 'replaces processes one by one, the new one first; keeps the old one if the new fails',
  arguments: [targetsArgument],
  options: [updateEnvOption, jsonOption],
  examples: [
    ['nsv reload web', 'a new version, without a gap'],
    ['nsv reload all --update-env', 'every app, with the environment of this shell'],
  ],
  async run(context, { words, options }) {
    const client = await context.connect();
    await printProcesses(context.out, await client.reload({ targets: words, ...renewedEnv(context, options) }));
  },
};
