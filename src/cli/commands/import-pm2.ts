import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { nearestPackage } from '../../config/program/scripts/packages.ts';
import { detailOf, failure } from '../../shared/errors.ts';
import { homeDirectory } from '../../shared/paths.ts';
import { count } from '../../shared/units.ts';
import type { Command, Context } from '../command.ts';
import { importedApps, pm2Entries } from '../import/apps.ts';
import { configText, writeConfig } from '../import/config-text.ts';

export const importPm2: Command = {
  summary: 'writes a config file from the apps that PM2 runs or has saved',
  notes: `Reads the file written by "pm2 save" or, with -, the output of "pm2 jlist". The input is only read as data: nothing in it is
executed, and PM2 is not changed. The config file contains the settings that differ from the defaults. All instances of an app become
one entry.

PM2 stores the whole environment of an app. The config file leaves out variables that have the same value in this shell, variables
that every shell sets (PWD, SSH_...), and variables that PM2 added. Review the file before you use it.`,
  arguments: [['[dump]', 'dump file, or - for standard input (default: $PM2_HOME/dump.pm2 or ~/.pm2/dump.pm2)']],
  options: [
    [
      '-o, --output <file>',
      'file to write, or - to print it (default: nsv.config.js, or .cjs in an ES module package)',
    ],
    ['-f, --force', 'overwrite an existing file'],
  ],
  examples: [
    ['nsv import-pm2', 'import what "pm2 save" has saved'],
    ['pm2 jlist | nsv import-pm2 -', 'import what PM2 runs now'],
    ['nsv import-pm2 --output -', 'print the config file'],
  ],
  async run(context, { words: [word], options }) {
    const { apps, notices } = readPm2(word, context);
    for (const notice of notices) context.out.note(`nsv: ${notice}`);
    const text = configText(apps);
    if (options.output === '-') return context.out.write(text.trimEnd());
    const name = String(
      options.output ?? (nearestPackage(context.cwd)?.type === 'module' ? 'nsv.config.cjs' : 'nsv.config.js'),
    );
    const file = resolve(context.cwd, name);
    // Readable by the user only: variables may contain passwords.
    writeConfig(file, text, { force: options.force === true, mode: 0o600 });
    context.out.write(`wrote ${count(apps.length, 'app')} to ${file}`);
  },
};

/** Throws CANNOT_IMPORT. */
function readPm2(word: string | undefined, { cwd, env }: Context) {
  const dump = join(env.PM2_HOME || join(homeDirectory(), '.pm2'), 'dump.pm2');
  const file = word === '-' ? 0 : word === undefined ? dump : resolve(cwd, word);
  try {
    return importedApps(pm2Entries(readFileSync(file, 'utf8')), env);
  } catch (cause) {
    const from = file === 0 ? 'standard input' : String(file);
    throw failure('CANNOT_IMPORT', { file: from, detail: detailOf(cause) }, { cause });
  }
}
