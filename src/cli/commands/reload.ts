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
  about: 'replace so many instances at the same time (default: 1)',
  sets: ['parallel'],
  parse: integer(1, mostInstances),
};

export const reload: Command = {
  summary: 'replaces processes one by one, the new one first; keeps the old one if the new fails',
  arguments: [targetsOrConfigArgument],
  notes: `When a new process fails, what was not replaced by then goes on, and the settings of before stay in force.

The file of --script is found as by "nsv start". It is run as the old one was, or, if its extension is another, as that of a
new app. Log files and the paths of --watch stay those of the start.

Only Node apps, started as such, and programs with --listen share their sockets with the next process. Any other, "npm start"
and "npx tsx app.ts" among them, is stopped before the next one is started: name the script itself to be without a gap.`,
  options: [
    [parallelFlag.spelling, parallelFlag.about],
    ['--script <file>', 'run this file from now on'],
    ['--cwd <directory>', 'run in this directory from now on'],
    updateEnvOption,
    ...configOptions,
    jsonOption,
  ],
  examples: [
    ['nsv reload web', 'a new version, without a gap'],
    ['nsv reload web --script v2.js', 'another file'],
    ['nsv reload all --update-env', 'every app, with the environment of this shell'],
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
