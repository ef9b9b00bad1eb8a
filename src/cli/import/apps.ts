// Converts PM2's dump to the apps of a config file. Pure: the dump is only data, and nothing in it is executed.
import { appName, nameFrom } from '../../config/app-name.ts';
import { count } from '../../shared/units.ts';
import { importedSettings, type Pm2Entry } from './settings.ts';

/**
 * Parses a dump file or the output of `pm2 jlist`, which may begin with warnings or with a line such as `[PM2] ...`
 * about the launch of the daemon. Throws a SyntaxError or a TypeError with the reason.
 */
export function pm2Entries(text: string): Pm2Entry[] {
  const start = /^\s*\[(?!PM2\])/m.exec(text)?.index ?? 0;
  const list: unknown = JSON.parse(text.slice(start));
  if (!Array.isArray(list)) throw new TypeError('not a list of processes');
  return list.map((item: unknown) => {
    const entry = isObject(item) && isObject(item.pm2_env) ? item.pm2_env : item;
    if (isObject(entry) && typeof entry.name === 'string' && typeof entry.pm_exec_path === 'string') return entry;
    throw new TypeError('the list contains something other than a PM2 process');
  });
}

/** `notices`: messages about what was left out. */
export function importedApps(entries: readonly Pm2Entry[], current: Record<string, string>) {
  const groups = new Map<string, Pm2Entry[]>();
  for (const entry of entries.filter((candidate) => !isModule(candidate))) {
    const identity = JSON.stringify([entry.name, entry.namespace, entry.pm_exec_path, entry.args]);
    groups.set(identity, [...(groups.get(identity) ?? []), entry]);
  }
  const apps = [...groups.values()].map((instances) => appOf(instances, current));
  const left = apps.reduce((sum, app) => sum + app.left, 0);
  const modules = entries.filter(isModule).map(({ name }) => name);
  return {
    apps: apps.map(({ app }) => app),
    notices: [
      ...(left > 0
        ? [`left out ${count(left, 'variable')} that this shell has too, or that belong to shells or PM2`]
        : []),
      ...apps.flatMap(({ renamed }) => renamed),
      ...(modules.length > 0 ? [`left out PM2 modules: ${modules.join(', ')}`] : []),
      ...twice(apps.map(({ app }) => String(app.name))).map(
        (name) => `several apps are called "${name}": rename all but one, as names must be unique in nsv`,
      ),
    ],
  };
}

function appOf(instances: Pm2Entry[], current: Record<string, string>) {
  const [first = {}] = instances;
  const pm2Name = String(first.name);
  const name = validName(pm2Name);
  const { env, left } = ownVariables(pm2Name, first.env, current);
  const isAtRest = instances.every(({ status }) => status === 'stopped' || status === 'errored');
  const app = {
    name,
    ...importedSettings(first),
    ...(instances.length > 1 && { instances: instances.length }),
    ...logFile('out_file', first.pm_out_log_path, 'out', first, instances.length),
    ...logFile('error_file', first.pm_err_log_path, 'error', first, instances.length),
    ...commonLog(first, instances.length),
    ...(isAtRest && { autostart: false }),
    ...(Object.keys(env).length > 0 && { env }),
    ...otherEnvironments(first),
  };
  return { app, left, renamed: name === pm2Name ? [] : [`"${pm2Name}" is called "${name}": nsv has no such names`] };
}

/** The name, or one that nsv makes of it. */
function validName(name: string): string {
  try {
    return appName(name);
  } catch {
    return nameFrom(name);
  }
}

/** `env_production` and the like, which PM2 keeps for `--env`. */
function otherEnvironments(entry: Pm2Entry): Record<string, unknown> {
  return Object.fromEntries(Object.entries(entry).filter(([key, value]) => /^env_./.test(key) && isObject(value)));
}

/** Empty for PM2's default log path; other paths are kept, without the instance number that PM2 inserts. */
function logFile(key: string, file: unknown, kind: string, entry: Pm2Entry, instances: number) {
  if (typeof file !== 'string' || new RegExp(`/logs/${escaped(String(entry.name))}-${kind}(-\\d+)?\\.log$`).test(file))
    return {};
  return { [key]: withoutNumber(file, entry, instances) };
}

/** `/dev/null` means that there is none. In nsv it would be where both outputs go. */
function commonLog(entry: Pm2Entry, instances: number) {
  const file = entry.pm_log_path;
  return typeof file !== 'string' || file === '/dev/null' ? {} : { log_file: withoutNumber(file, entry, instances) };
}

function withoutNumber(file: string, { pm_id, merge_logs }: Pm2Entry, instances: number): string {
  const isNumbered = instances > 1 && !merge_logs;
  return isNumbered ? file.replace(new RegExp(`-${Number(pm_id)}(\\.[^./]*)?$`), '$1') : file;
}

/** PM2 replaces each special character of an app's name in file names with a hyphen. */
function escaped(text: string): string {
  return text.replaceAll(/[^a-zA-Z0-9]/g, '[^]');
}

function isModule({ pmx_module }: Pm2Entry): boolean {
  return pmx_module === true;
}

function isObject(value: unknown): value is Pm2Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function twice(names: string[]): string[] {
  return [...new Set(names.filter((name, at) => names.indexOf(name) !== at))];
}

/** Variables specific to a shell, terminal or session. */
const shells = /^(?:_|PWD|OLDPWD|SHLVL|TERM|TERM_.*|COLORTERM|COLUMNS|LINES|LS_COLORS|WINDOWID|DISPLAY|TMUX.*|STY)$/;
const sessions = /^(?:SSH_.*|XDG_.*|DBUS_.*|GPG_.*|INVOCATION_ID|JOURNAL_STREAM|MANAGERPID|npm_.*|INIT_CWD)$/;
/** Variables that PM2 adds. Those for its file server (PM2_SERVE_*) come from the user and are kept. */
const pm2s =
  /^(?:PM2_(?!SERVE_).*|pm2_.*|pm_.*|name|unique_id|NODE_APP_INSTANCE|km_link|vizion.*|axm_.*|exec_.*|status|instance_var)$/;

/**
 * The variables that are meant for the app: PM2 saves the whole environment of the shell. `current`: the environment that `nsv start`
 * would give the app anyway.
 */
function ownVariables(
  name: string,
  given: unknown,
  current: Record<string, string>,
): { env: Record<string, string>; left: number } {
  const entries = Object.entries(typeof given === 'object' && given !== null ? given : {});
  const own = entries.filter(([key, value]) => {
    if (typeof value === 'object' || value === undefined) return false;
    // PM2 treats each app as a possible module, and stores module settings under its name.
    if (key === name && value === '{}') return false;
    return !shells.test(key) && !sessions.test(key) && !pm2s.test(key) && current[key] !== String(value);
  });
  return {
    env: Object.fromEntries(own.map(([key, value]) => [key, String(value)])),
    left: entries.length - own.length,
  };
}
