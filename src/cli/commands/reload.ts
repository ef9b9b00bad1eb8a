import { mostInstances } from '../../config/instances.ts';
import { integer } from '../../config/options/parsers.ts';
import { configOptions } from '../args/config-word.ts';
import { flag, readFlags, rowsOf } from '../args/flags.ts';
import { updateEnvOption } from '../args/update-env.ts';
import { type Command, jsonOption, targetsOrConfigArgument } from '../command.ts';
import { newSettingsNotes, newSettingsOptions, renewApps } from '../plans/change-apps.ts';

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
  options: [...rowsOf([parallelFlag]), updateEnvOption, ...configOptions, jsonOption, ...newSettingsOptions],
  examples: [
    ['nsv reload web', 'deploy a new version without downtime'],
    ['nsv reload web --script v2.js', 'switch to another file'],
    ['nsv reload all --update-env', 'all apps, with the environment of this shell'],
  ],
  async run(context, input) {
    const { parallel } = readFlags([parallelFlag], input.options);
    await renewApps(context, input, 'reload', parallel);
  },
};
