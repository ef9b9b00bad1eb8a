import { otherProgram } from '../../client/other-program.ts';
import { mostInstances } from '../../config/options/fields.ts';
import { integer } from '../../config/options/parsers.ts';
import { configOptions, configWord } from '../args/config-word.ts';
import { type Flag, readFlags } from '../args/flags.ts';
import { renewedEnv, updateEnvOption } from '../args/update-env.ts';
import { type Command, jsonOption, targetsOrConfigArgument } from '../command.ts';
import { updateConfig } from '../plans/config-files/bring-up.ts';
import { tellRestarted } from '../plans/restarted.ts';
import { printProcesses } from '../print.ts';

const parallelFlag: Flag<'parallel'> = {
  spelling: '--parallel <n>',
  about: 'number of instances to replace at the same time (default: 1)',
  sets: ['parallel'],
  parse: integer(1, mostInstances),
};

export const reload: Command = {
  summary: 'replaces processes one by one without losing connections',
  arguments: [targetsOrConfigArgument],
  notes: `Each new process starts before the old one stops. If a new process fails, the old processes that were not replaced yet keep
serving, and the app keeps its previous settings.

--script is looked up as by "nsv start". The new file is run with the same interpreter as the old one, unless its extension differs.
Log files and the paths of --watch do not change.

Only Node apps and programs with --listen share their sockets with the next process. Other programs, including "npm start" and "npx
tsx app.ts", are stopped before the next process starts: start the script itself to avoid that gap.`,
  options: [
    [parallelFlag.spelling, parallelFlag.about],
    ['--script <file>', 'run this file instead'],
    ['--cwd <directory>', 'run in this directory instead'],
    updateEnvOption,
    ...configOptions,
    jsonOption,
  ],
  examples: [
    ['nsv reload web', 'deploy a new version without downtime'],
    ['nsv reload web --script v2.js', 'switch to another file'],
    ['nsv reload all --update-env', 'all apps, with the environment of this shell'],
  ],
  async run(context, input) {
    const { words, options } = input;
    const { parallel = 1 } = readFlags([parallelFlag], options) as { parallel?: number };
    const config = configWord(context, words, input);
    if (config !== undefined) return updateConfig(context, config, input, 'reload', parallel);
    const client = await context.connect();
    const program = await otherProgram(context, client, words, options as { script?: string; cwd?: string });
    const renewal = { targets: words, parallel, ...renewedEnv(context, options), ...program };
    const processes = await client.reload(renewal);
    await printProcesses(context.out, processes);
    await tellRestarted(context.out, client, processes);
  },
};
