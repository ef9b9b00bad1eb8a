import { BadValue, integer } from '../../config/parsers.ts';
import { failure } from '../../shared/errors.ts';
import { type Command, jsonOption, targetsArgument } from '../command.ts';
import { printProcesses } from '../print.ts';
import { renewedEnv, updateEnvOption } from '../update-env.ts';

export const reload: Command = {
  summary: 'replaces processes one by one, the new one first; keeps the old one if the new fails',
  arguments: [targetsArgument],
  options: [['--parallel <n>', 'replace so many instances at the same time (default: 1)'], updateEnvOption, jsonOption],
  examples: [
    ['nsv reload web', 'a new version, without a gap'],
    ['nsv reload all --update-env', 'every app, with the environment of this shell'],
  ],
  async run(context, { words, options }) {
    const parallel = parallelOf(options.parallel);
    const client = await context.connect();
    const renewal = { targets: words, parallel, ...renewedEnv(context, options) };
    await printProcesses(context.out, await client.reload(renewal));
  },
};

function parallelOf(given: unknown = 1): number {
  try {
    return integer(1, 10_000)(given);
  } catch (error) {
    if (!(error instanceof BadValue)) throw error;
    throw failure('BAD_USAGE', { detail: `cannot reload: --parallel ${error.message}` });
  }
}
