import { mostInstances } from '../../config/instances.ts';
import { integer } from '../../config/options/parsers.ts';
import { configOptions, configWord } from '../args/config-word.ts';
import { flag, readFlags } from '../args/flags.ts';
import { renewedEnv, updateEnvOption } from '../args/update-env.ts';
import { type Command, jsonOption, targetsOrConfigArgument } from '../command.ts';
import { changeApps, newSettingsNotes, newSettingsOf, newSettingsOptions } from '../plans/change-apps.ts';
import { updateConfig } from '../plans/config-files/bring-up.ts';
import { printReady, tellRestarted } from '../plans/ready.ts';

const parallelFlag = flag(
  '--parallel <n>',
  'number of instances to replace at the same time (default: 1)',
  'parallel',
  integer(1, mostInstances),
);

export const reload: Command = {
  summary: 'replaces processes one by one without losing connections',
  arguments: [targetsOrConfigArgument],
  notes: `Each new process starts before the old one stops. If a new process fails, the old processes that were not replaced yet keep
serving, and the app keeps its previous settings.

${newSettingsNotes} --schedule and --listen need "nsv restart".

--script is looked up as by "nsv start". The new file is run with the same interpreter as the old one, unless its extension differs.
Log files and the paths of --watch do not change.

Only Node apps and programs with --listen share their sockets with the next process. Other programs, including Node behind a shell,
nodemon and the like, are stopped before the next process starts: start the program itself to avoid that gap.`,
  options: [
    [parallelFlag.spelling, parallelFlag.about],
    updateEnvOption,
    ...configOptions,
    jsonOption,
    ...newSettingsOptions,
  ],
  examples: [
    ['nsv reload web', 'deploy a new version without downtime'],
    ['nsv reload web --script v2.js', 'switch to another file'],
    ['nsv reload all --update-env', 'all apps, with the environment of this shell'],
  ],
  async run(context, input) {
    const { options } = input;
    const { parallel = 1 } = readFlags([parallelFlag], options) as { parallel?: number };
    const { targets, changes } = newSettingsOf(input);
    const config = configWord(context, targets, input);
    if (config !== undefined) return updateConfig(context, config, input, { how: 'reload', parallel, changes });
    const client = await context.connect();
    const renewEnv = options.updateEnv === true;
    const processes = await printReady(context.out, () =>
      changes
        ? changeApps(context, client, targets, changes, { how: 'reload', parallel, renewEnv })
        : client.reload({ targets, parallel, ...renewedEnv(context, options) }),
    );
    await tellRestarted(context.out, client, processes);
  },
};
