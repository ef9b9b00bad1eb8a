// Settings that PM2 has by default, or takes from its environment and from the files beside a program.
import { isFile } from '../os/programs.ts';
import { failure } from '../shared/errors.ts';
import type { AppSettings } from './app-spec.ts';
import { fields } from './options/fields.ts';
import { BadValue } from './options/parsers.ts';

type Defaults = Pick<AppSettings, 'shutdownWithMessage' | 'stopSignal' | 'killTimeout' | 'ignoreWatch'>;
type Environment = Readonly<Record<string, string | undefined>>;

/** Defaults: how an app is stopped, and that names which begin with a dot are not watched. Throws BAD_OPTION, which names the variable. */
export function pm2Defaults(env: Environment): Defaults {
  const { PM2_KILL_USE_MESSAGE: message, PM2_KILL_SIGNAL: signal, PM2_KILL_TIMEOUT: timeout } = env;
  return {
    ignoreWatch: ['.*'],
    ...(message && !['false', '0'].includes(message) && { shutdownWithMessage: true }),
    ...(signal && { stopSignal: read('PM2_KILL_SIGNAL', signal, fields.stopSignal.parse) }),
    ...(timeout && { killTimeout: read('PM2_KILL_TIMEOUT', timeout, fields.killTimeout.parse) }),
  };
}

function read<T>(name: string, value: string, parse: (input: unknown) => T): T {
  try {
    return parse(value);
  } catch (error) {
    if (!(error instanceof BadValue)) throw error;
    throw failure('BAD_OPTION', { problems: [`the variable ${name} ${error.message}`] });
  }
}

/** Such as those that compilers write: `app.js.map`. */
export function hasSourceMap(script: string): boolean {
  return isFile(`${script}.map`);
}

/** Node's flag, if there is a source map and the arguments do not say whether to use it. */
export function sourceMapFlags(script: string, given: readonly string[]): string[] {
  const isGiven = given.some((arg) => /^--(no-)?enable-source-maps$/.test(arg));
  return !isGiven && hasSourceMap(script) ? ['--enable-source-maps'] : [];
}
