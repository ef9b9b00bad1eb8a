// Writes the first config file of a package.
import { basename, dirname, relative, resolve } from 'node:path';
import { nameFrom } from '../../config/app-name.ts';
import { titleOf } from '../../config/program/scripts/bins.ts';
import { nearestPackage, packageIn } from '../../config/program/scripts/packages.ts';
import { parsePlainLine } from '../../config/program/scripts/plain-line.ts';
import { entryOf, isFile, isNodeName } from '../../os/programs.ts';
import { failure } from '../../shared/errors.ts';
import { shellWord } from '../../shared/shell-word.ts';
import type { Command } from '../command.ts';
import { writeConfig } from '../import/config-text.ts';

export const init: Command = {
  summary: 'writes a config file to begin with',
  notes: `The file has one app: what "npm start" starts in this directory, or else the main file of its package.json. The settings that
are used most are in it as comments. "nsv start" without arguments then starts the app.`,
  arguments: [['[file]', 'file to write, with the ending .js, .cjs or .mjs (default: nsv.config.js)']],
  options: [['-f, --force', 'overwrite an existing file']],
  examples: [
    ['nsv init', 'write nsv.config.js'],
    ['nsv init deploy/web.config.js', 'write another file'],
  ],
  async run({ cwd, out }, { words: [word], options }) {
    const file = resolve(cwd, word ?? 'nsv.config.js');
    if (!/\.config\.[cm]?js$/.test(file))
      throw failure('BAD_USAGE', { detail: `"${word}" is no name for a config file: use one such as nsv.config.js` });
    const isModule =
      file.endsWith('.mjs') || (nearestPackage(dirname(file))?.type === 'module' && file.endsWith('.js'));
    const opening = isModule ? 'export default' : 'module.exports =';
    writeConfig(file, template(opening, programIn(cwd, dirname(file))), { force: options.force === true });
    out.write(
      `wrote ${file}; edit it, then run "${word === undefined ? 'nsv start' : `nsv start ${shellWord(word)}`}"`,
    );
  },
};

/** The lines that say what is started in a directory, for a config file in another one. */
function programIn(cwd: string, home: string): string[] {
  const own = packageIn(cwd);
  const name = nameFrom(titleOf(own?.name ?? basename(cwd), 'start'));
  const line = own?.scripts.start;
  const main = line === undefined ? undefined : fileOf(line, cwd);
  const runsScript = line !== undefined && main === undefined;
  const script = runsScript ? 'npm' : relative(home, main ?? entryOf(cwd) ?? resolve(cwd, 'app.js'));
  const isElsewhere = runsScript && home !== cwd;
  return [
    `name: ${quoted(name)},`,
    `script: ${quoted(script)},`,
    ...(runsScript ? [`args: 'start', // the script of package.json: ${oneLine(line)}`] : []),
    ...(isElsewhere ? [`cwd: ${quoted(relative(home, cwd))},`] : []),
  ];
}

/** The file of a script such as `node server.js`. */
function fileOf(line: string, cwd: string): string | undefined {
  const [node = '', file = '', ...others] = parsePlainLine(line)?.words ?? [];
  const path = resolve(cwd, file);
  return isNodeName(node) && others.length === 0 && isFile(path) ? path : undefined;
}

function quoted(text: string): string {
  return JSON.stringify(text).replace(/^"([^'"\\]*)"$/, "'$1'");
}

/** It becomes part of a comment. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

function template(opening: string, program: readonly string[]): string {
  return `// The keys are named like the options of "nsv start --help-all": kill_timeout is --kill-timeout.
/** @type {import("nsv/config").Config} */
${opening} {
  apps: [
    {
      ${program.join('\n      ')}
      instances: 1, // or 'max': one for each CPU; they share their ports
      env: { NODE_ENV: 'production' },
      env_development: { NODE_ENV: 'development' }, // nsv start --env development
      // env_file: '.env', // more variables
      // max_memory_restart: '500M', // replace a process that uses more
      // wait_ready: true, // the app calls process.send('ready') when it is
      // kill_timeout: '5s', // from the stop signal until SIGKILL
      // cron_restart: '0 4 * * *', // a new process every night
      // watch: ['src'], // reload when these files change
    },
  ],
};
`;
}
