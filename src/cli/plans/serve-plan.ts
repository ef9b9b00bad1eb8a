// The apps that `nsv serve` and `nsv health --serve` start.
import { resolve } from 'node:path';
import type { AppSettings, AppSpec } from '../../config/app-spec.ts';
import { defaultHealthHost, healthEnvironment, healthPort } from '../../config/health-server.ts';
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
import { flag, readFlags, rowsOf } from '../args/flags.ts';
import { flagSettingsOf, ofShell } from '../args/settings.ts';
import type { Context, Input } from '../command.ts';

const passwordVariable = 'PM2_SERVE_BASIC_AUTH_PASSWORD';

const flags = [
  flag('--port <port>', 'same as the second argument', 'port', servePort),
  flag('--host <address>', 'listen on this address (default: all)', 'host', text),
  flag('--spa', 'answer with index.html when a page is missing', 'spa', Boolean),
  flag('--basic-auth-username <name>', 'user name for basic authentication', 'username', text),
  flag(
    '--basic-auth-password <password>',
    `password for basic authentication (default: $${passwordVariable})`,
    'password',
    text,
  ),
];

export const serveOptions = rowsOf(flags);

/** Throws BAD_OPTION, NO_SUCH_DIRECTORY, and as `resolveApp`. */
export async function planServe(context: Context, directory: string, options: Input['options']): Promise<AppSpec> {
  const settings = flagSettingsOf(options);
  const given = readFlags(flags, options);
  const { port = defaultServePort, host, spa = false } = given;
  const path = resolve(context.cwd, directory);
  if (!isDirectory(path)) throw failure('NO_SUCH_DIRECTORY', { directory });
  const auth = credentialsOf(given, context);
  const fileEnv = serveEnvironment({ path, port, host, spa, homepage: defaultHomepage, auth });
  return resolveApp({
    ...context,
    words: [installed.serve],
    settings: ofShell({ name: `static-page-server-${port}`, waitReady: true, ...settings, fileEnv }),
  });
}

function credentialsOf({ username, password }: Partial<Credentials>, { env }: Context): Credentials | undefined {
  if (username === undefined && password === undefined) return undefined;
  const secret = password ?? env[passwordVariable];
  if (username && secret && !username.includes(':')) return { username, password: secret };
  const problem = `--basic-auth-username must be a name without a colon, with --basic-auth-password or ${passwordVariable}`;
  throw failure('BAD_OPTION', { problems: [problem] });
}

const healthFlags = [
  flag('--serve <port>', 'answer HTTP probes on this port', 'port', healthPort),
  flag('--host <address>', `with --serve: listen on this address (default: ${defaultHealthHost})`, 'host', text),
  flag('-f, --force', 'with --serve: replace a running app of the same name', 'force', Boolean),
];

export const healthServerOptions = rowsOf(healthFlags);

/** Undefined without `--serve`. Throws BAD_USAGE and BAD_OPTION, and the app rejects as `resolveApp`. */
export function planHealthServer(context: Context, { words, options }: Input): Promise<AppSpec> | undefined {
  const { port, host, force } = readFlags(healthFlags, options);
  const [word] = words;
  if (port === undefined) {
    const stray = host === undefined ? force && '--force' : '--host';
    if (stray) throw failure('BAD_USAGE', { detail: `${stray} needs --serve` });
    return undefined;
  }
  if (word !== undefined)
    throw failure('BAD_USAGE', {
      detail: `--serve answers for all apps: leave out "${word}", and ask for /ready/${word}`,
    });
  const fileEnv = healthEnvironment({ port, host: host ?? defaultHealthHost });
  const settings = ofShell<AppSettings>({ name: `health-${port}`, waitReady: true, fileEnv });
  return resolveApp({ ...context, words: [installed.health], settings });
}
