// Settings that PM2 has by default, or takes from its environment and from the files beside a program.
import { isFile } from '../os/programs.ts';
import { failure } from '../shared/errors.ts';
import type { AppSettings } from './app-spec.ts';
import { fields } from './options/fields.ts';
import { BadValue } from './options/parsers.ts';

type Defaults = Pick<
  AppSettings,
  'shutdownWithMessage' | 'stopSignal' | 'killTimeout' | 'ignoreWatch' | 'listenSuffices'
>;
type Environment = Readonly<Record<string, string | undefined>>;

/** Defaults: how an app is stopped, what makes it ready, and that names which begin with a dot are not watched. Throws BAD_OPTION, which names the variable. */
export function pm2Defaults(env: Environment): Defaults {
  const { PM2_KILL_USE_MESSAGE: message, PM2_KILL_SIGNAL: signal, PM2_KILL_TIMEOUT: timeout } = env;
  return {
    ignoreWatch: ['.*'],
    listenSuffices: true,
    ...(message && !['false', '0'].includes(message) && { shutdownWithMessage: true }),
    ...(signal && { stopSignal: read('PM2_KILL_SIGNAL', signal, fields.stopSignal.parse) }),
    ...(timeout && { killTimeout: read('PM2_KILL_TIMEOUT', timeout, fields.killTimeout.parse) }),
  };
}

/** Settings whose values PM2 checks too, and does not start a file because of them. It takes any number for one that may be a number. */
const checkedByPm2 = new Set([
  ...['name', 'namespace', 'script', 'args', 'interpreter', 'interpreterArgs', 'cwd', 'env', 'port', 'uid', 'gid'],
  ...['execMode', 'filterEnv', 'autostart', 'autorestart', 'watch', 'ignoreWatch', 'watchDelay', 'cronRestart'],
  ...['maxMemoryRestart', 'maxRestarts', 'minUptime', 'restartDelay', 'expBackoffRestartDelay', 'appendEnvToName'],
  ...['killTimeout', 'listenTimeout', 'waitReady', 'shutdownWithMessage', 'pidFile', 'outFile', 'errorFile', 'logFile'],
  ...['mergeLogs', 'disableLogs', 'logDateFormat', 'time', 'sourceMapSupport'],
]);

/** Those that have other names as well. */
const pm2Names = new Set(
  'script exec_interpreter node_args out_file error_file log_file pid_file cron_restart merge_logs uid'.split(' '),
);

/** Whether PM2 starts an app in spite of such a value, which nsv cannot use. */
export function isTolerated(name: string, value: unknown): boolean {
  const isNumber = typeof value === 'number' || (typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value));
  return !checkedByPm2.has(name) || (isNumber && name !== 'name');
}

/** A value as PM2 understands it, for the parser of nsv. `note` is told what has no effect. */
export function asInPm2(name: string, value: unknown, note: (what: string) => void): unknown {
  // "auto" and any other word are "max" there.
  if (name === 'instances' && typeof value === 'string') return /^\s*(-?\d|$)/.test(value) ? value : 'max';
  if (name === 'ignoreWatch') return ignoredInPm2(value, note);
  if (name === 'args' && Array.isArray(value)) return value.filter((each) => each !== null);
  if (name !== 'env' || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries({ ...value }).map(([key, each]) => [key, each === null ? 'null' : each]));
}

/** It splits a text at the spaces, and has regular expressions, of which nsv takes what most files have. */
function ignoredInPm2(value: unknown, note: (what: string) => void): unknown {
  if (typeof value === 'string') return value.trim().split(/[\s,]+/);
  if (typeof value !== 'object') return value;
  return ([value].flat() as ({ regularExpression?: string } | null)[]).flatMap((each): unknown[] => {
    const source = each?.regularExpression;
    if (source === undefined) return [each];
    if (source === String.raw`[\/\\]\.`) return ['.*'];
    if (/^[\w-]+$/.test(source)) return [source];
    note(`/${source}/`);
    return [];
  });
}

/** Whether the first of two spellings of a key counts, and not the second: PM2 prefers those of its own documentation. */
export function isPreferred(first: string, second: string): boolean {
  return pm2Names.has(first) || !pm2Names.has(second);
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
