import { basename, dirname, relative, resolve } from 'node:path';
import { nameFrom } from '../../config/app-name.ts';
import { entryOf } from '../../os/programs.ts';
import { failure } from '../../shared/errors.ts';
import { shellWord } from '../../shared/shell-word.ts';
import type { Command } from '../command.ts';
import { writeConfig } from '../import/write-config.ts';
import { nearestPackage } from '../pm2/nearest-package.ts';

export const init: Command = {
  summary: 'writes a config file to begin with',
  notes: `The file has one app: the program of this directory, as package.json names it. "nsv start" without arguments then starts it.`,
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
    const { type, name } = nearestPackage(dirname(file));
    const title = typeof name === 'string' ? name.split('/').at(-1)! : basename(cwd);
    const script = relative(dirname(file), entryOf(cwd) ?? resolve(cwd, 'app.js'));
    const isModule = file.endsWith('.mjs') || (type === 'module' && file.endsWith('.js'));
    const text = template(isModule ? 'export default' : 'module.exports =', nameFrom(title), script);
    writeConfig(file, text, { force: options.force === true });
    out.write(
      `wrote ${file}; edit it, then run "${word === undefined ? 'nsv start' : `nsv start ${shellWord(word)}`}"`,
    );
  },
};

function template(opening: string, name: string, script: string): string {
  return `// The keys are named like the options of "nsv start --help-all": kill_timeout, max_memory_restart.
/** @type {import("nsv/config").Config} */
${opening} {
  apps: [
    {
      name: ${JSON.stringify(name)},
      script: ${JSON.stringify(script)},
      instances: 1, // or 'max': one for each CPU
      env: { NODE_ENV: 'development' },
      env_production: { NODE_ENV: 'production' }, // nsv start --env production
    },
  ],
};
`;
}
