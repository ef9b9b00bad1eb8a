// The app that `nsv health --serve` starts.
import type { AppSettings, AppSpec } from '../../config/app-spec.ts';
import { defaultHealthHost, healthEnvironment, healthPort } from '../../config/health-server.ts';
import { text } from '../../config/options/parsers.ts';
import { resolveApp } from '../../config/resolve.ts';
import { failure } from '../../shared/errors.ts';
import { installed } from '../../shared/paths.ts';
import { type Flag, readFlags } from '../args/flags.ts';
import { ofShell } from '../args/shell-umask.ts';
import type { Context, HelpRow, Input } from '../command.ts';

interface Given {
  port?: number;
  host?: string;
  force?: boolean;
}

const flags: readonly Flag<keyof Given>[] = [
  { spelling: '--serve <port>', about: 'answer HTTP probes on this port', sets: ['port'], parse: healthPort },
  {
    spelling: '--host <address>',
    about: `with --serve: listen on this address (default: ${defaultHealthHost})`,
    sets: ['host'],
    parse: text,
  },
  {
    spelling: '-f, --force',
    about: 'with --serve: replace a running app of the same name',
    sets: ['force'],
    parse: Boolean,
  },
];

export const healthServerOptions: readonly HelpRow[] = flags.map(({ spelling, about }) => [spelling, about]);

/** Undefined without `--serve`. Throws BAD_USAGE and BAD_OPTION, and the app rejects as `resolveApp`. */
export function planHealthServer(context: Context, { words, options }: Input): Promise<AppSpec> | undefined {
  const { port, host, force } = readFlags(flags, options) as Given;
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
