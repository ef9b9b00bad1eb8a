import { resolve } from 'node:path';
import { text } from '../../config/options/parsers.ts';
import { resolveApp } from '../../config/resolve.ts';
import {
  type Credentials,
  defaultHomepage,
  defaultServePort,
  serveEnvironment,
  servePort,
} from '../../config/serve.ts';
import { isDirectory } from '../../os/programs.ts';
import { failure } from '../../shared/errors.ts';
import { installed } from '../../shared/paths.ts';
import { type Flag, readFlags } from '../args/flags.ts';
import { settingOptions, settingsOf } from '../args/settings.ts';
import { type Command, type Context, jsonOption } from '../command.ts';
import { printProcesses } from '../print.ts';

interface ServeOptions {
  port?: number;
  host?: string;
  spa?: boolean;
  username?: string;
  password?: string;
}

const passwordVariable = 'PM2_SERVE_BASIC_AUTH_PASSWORD';

const flags: readonly Flag<keyof ServeOptions>[] = [
  { spelling: '--port <port>', about: 'same as the second argument', sets: ['port'], parse: servePort },
  { spelling: '--host <address>', about: 'listen on this address (default: all)', sets: ['host'], parse: text },
  { spelling: '--spa', about: 'answer with index.html when a page is missing', sets: ['spa'], parse: Boolean },
  {
    spelling: '--basic-auth-username <name>',
    about: 'user name for basic authentication',
    sets: ['username'],
    parse: text,
  },
  {
    spelling: '--basic-auth-password <password>',
    about: `password for basic authentication (default: $${passwordVariable})`,
    sets: ['password'],
    parse: text,
  },
];

export const serve: Command = {
  summary: 'serves the files of a directory over HTTP',
  notes: `The file server is an app called static-page-server-<port>, which can be reloaded, scaled and stopped like any other.

Missing pages are answered with the 404.html of the directory. Files and directories whose names start with a dot are not served,
nor are links that lead out of the directory.`,
  arguments: [
    ['[directory]', 'directory to serve (default: .)'],
    ['[port]', `port to listen on (default: ${defaultServePort})`],
  ],
  options: [
    ...flags.map(({ spelling, about }) => [spelling, about] as const),
    ...settingOptions,
    ['-f, --force', 'replace a running app of the same name'],
    jsonOption,
  ],
  examples: [
    ['nsv serve', 'this directory on port 8080'],
    ['nsv serve dist 3000 --spa -i 2', 'a single-page app, two processes'],
    ['nsv serve docs 80 --basic-auth-username me', 'with a password'],
  ],
  async run(context, { words: [directory = '.', word], options }) {
    const settings = settingsOf(options);
    const given = readFlags(flags, word === undefined ? options : { ...options, port: word }) as ServeOptions;
    const { port = defaultServePort, host, spa = false } = given;
    const path = resolve(context.cwd, directory);
    if (!isDirectory(path)) throw failure('NO_SUCH_DIRECTORY', { directory });
    const auth = credentialsOf(given, context);
    const fileEnv = serveEnvironment({ path, port, host, spa, homepage: defaultHomepage, auth });
    const app = await resolveApp({
      ...context,
      words: [installed.serve],
      settings: { name: `static-page-server-${port}`, waitReady: true, ...settings, fileEnv },
    });
    const client = await context.connect({ launch: true });
    const force = options.force === true;
    await printProcesses(context.out, await client.launch({ app, wait: true, force, active: true }));
  },
};

function credentialsOf({ username, password }: ServeOptions, { env }: Pick<Context, 'env'>): Credentials | undefined {
  if (username === undefined && password === undefined) return undefined;
  const secret = password ?? env[passwordVariable];
  if (username && secret && !username.includes(':')) return { username, password: secret };
  const problem = `--basic-auth-username must be a name without a colon, with --basic-auth-password or ${passwordVariable}`;
  throw failure('BAD_OPTION', { problems: [problem] });
}
