import { defaultServePort } from '../../config/serve.ts';
import { settingOptions } from '../args/settings.ts';
import { type Command, jsonOption } from '../command.ts';
import { planServe, serveOptions } from '../plans/serve-plan.ts';
import { printProcesses } from '../print.ts';

export const serve: Command = {
  summary: 'serves the files of a directory over HTTP',
  notes: `The file server is an app called static-page-server-<port>, which can be reloaded, scaled and stopped like any other.

Missing pages are answered with the 404.html of the directory. Files and directories whose names start with a dot are not served,
nor are links that lead out of the directory.`,
  arguments: [
    ['[directory]', 'directory to serve (default: .)'],
    ['[port]', `port to listen on (default: ${defaultServePort})`],
  ],
  options: [...serveOptions, ...settingOptions, ['-f, --force', 'replace a running app of the same name'], jsonOption],
  examples: [
    ['nsv serve', 'this directory on port 8080'],
    ['nsv serve dist 3000 --spa -i 2', 'a single-page app, two processes'],
    ['nsv serve docs 80 --basic-auth-username me', 'with a password'],
  ],
  async run(context, { words: [directory = '.', word], options }) {
    const app = await planServe(context, directory, word === undefined ? options : { ...options, port: word });
    const client = await context.connect({ launch: true });
    const force = options.force === true;
    await printProcesses(context.out, await client.launch({ app, wait: true, force, active: true }));
  },
};
