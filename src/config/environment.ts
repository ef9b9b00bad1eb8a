// The environment of one instance, and the settings in the daemon's own environment.
import { basename } from 'node:path';
import { withoutOwnVariables } from '../os/own-variables.ts';
import { defaultPath } from '../os/programs.ts';
import { isForeign } from '../os/trust/trusted-path.ts';
import { accountOf } from '../os/users.ts';
import { parseSize } from '../shared/units.ts';
import type { AppSpec } from './app-spec.ts';

type Shared = Pick<AppSpec, 'env' | 'filterEnv' | 'fileEnv'> & Partial<Pick<AppSpec, 'uid' | 'passEnv' | 'binPath'>>;
type Program = Partial<Pick<AppSpec, 'interpreter' | 'script'>>;
type Place = { id: number; slot: number };
type Settings = Shared & Pick<AppSpec, 'name' | 'instanceVar' | 'incrementVar'> & Program;

const defaultLogsMax = 2 * 1024 ** 3;

/** The limit of all logs together in bytes, from NSV_LOGS_MAX ("5G"; default 2G; 0: no limit). Undefined if invalid. */
export function logsMax(word = process.env.NSV_LOGS_MAX): number | undefined {
  return word ? parseSize(word) : defaultLogsMax;
}

/**
 * Merges the environment of the shell that started the app (less what `--filter-env` removes), the environment of the
 * config file, and the variables of the process itself.
 */
export function instanceEnvironment(spec: Settings, place: Place): Record<string, string> {
  const shared = sharedEnvironmentOf(spec);
  return { ...shared, ...ownVariablesOf(spec, place, shared) };
}

/**
 * The variables of one process, which replace any in `shared`: `NSV_APP` and `name` (the app), `NSV_ID` and `pm_id` (the
 * process), `NSV_INSTANCE` and `NODE_APP_INSTANCE` or its configured replacement (the slot), and the incremented one.
 * Python also gets `PYTHONUNBUFFERED`, unless it is set: without a terminal it keeps up to 8 kB of its output back, which
 * would be missing in the log at its death.
 */
export function ownVariablesOf(
  spec: Settings,
  { id, slot }: Place,
  shared: Record<string, string>,
): Record<string, string> {
  const { name, instanceVar, incrementVar } = spec;
  return {
    ...(isPython(spec) && !Object.hasOwn(shared, 'PYTHONUNBUFFERED') && { PYTHONUNBUFFERED: '1' }),
    ...(incrementVar !== undefined && { [incrementVar]: String((Number(shared[incrementVar]) || 0) + slot) }),
    NSV_APP: name,
    NSV_ID: String(id),
    NSV_INSTANCE: String(slot),
    [instanceVar]: String(slot),
    pm_id: String(id),
    name,
  };
}

/**
 * The part that all instances share. An app of another user gets HOME, USER, LOGNAME and SHELL of that user, and of the
 * shell that started it only harmless variables and those that `--pass-env` names. None gets what the shell may have
 * inherited from an app that runs above it.
 */
export function sharedEnvironmentOf(spec: Shared): Record<string, string> {
  const { env, filterEnv, fileEnv, uid, passEnv = [], binPath = [] } = spec;
  const clean = withoutOwnVariables(env);
  const given = filterEnv.length === 0 ? clean : without(clean, filterEnv);
  const shared = { ...(uid !== undefined && isForeign({ uid }) ? ofUser(uid, given, passEnv) : given), ...fileEnv };
  return binPath.length === 0 ? shared : withPath(binPath, shared);
}

/** Puts directories before those of PATH. An environment that was read from a process has them already. */
export function withPath(directories: readonly string[], env: Record<string, string>): Record<string, string> {
  const others = (env.PATH ?? defaultPath).split(':').filter((directory) => !directories.includes(directory));
  return { ...env, PATH: [...directories, ...others].join(':') };
}

/** What a program of any user may know of the shell. */
const harmless = ['PATH', 'LANG', 'LANGUAGE', 'LC_*', 'TZ', 'TERM', 'COLORTERM', 'NO_COLOR', 'FORCE_COLOR', 'NODE_ENV'];

/** As `su -` does it. */
function ofUser(uid: string, env: Record<string, string>, passEnv: readonly string[]): Record<string, string> {
  const named = only(env, passEnv);
  const passed = passEnv.includes('all') ? env : only(env, harmless);
  const account = accountOf(uid);
  const { USER: _, LOGNAME: __, ...others } = passed;
  const login = account
    ? { HOME: account.home, USER: account.name, LOGNAME: account.name, SHELL: account.shell }
    : { HOME: '/', SHELL: '/bin/sh' };
  return { ...others, ...login, ...named };
}

function only(env: Record<string, string>, names: readonly string[]): Record<string, string> {
  const isMeant = (key: string) =>
    names.some((name) => (name.endsWith('*') ? key.startsWith(name.slice(0, -1)) : key === name));
  return Object.fromEntries(Object.entries(env).filter(([key]) => isMeant(key)));
}

function isPython({ interpreter, script = '' }: Program): boolean {
  return /^python[\d.]*$/.test(basename(interpreter ?? script));
}

function without(env: Record<string, string>, prefixes: string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([key]) => !prefixes.some((prefix) => key.startsWith(prefix))));
}
