// Extracts the apps from the content of a config file: `{ apps: [...] }`, a list, or a single app.
import { nearest } from '../../shared/nearest.ts';
import { spellingsOf } from './keys.ts';
import { leftOutOfFile, unknownToBoth } from './left-out.ts';
import type { Loaded } from './load.ts';
import type { Path } from './mistakes.ts';

export interface RawApp {
  path: Path;
  keys: Readonly<Record<string, unknown>>;
}

/** `x-...` keys are free for the author of the file, for example to hold YAML anchors. */
const isFree = (key: string) => /^x-|^\$schema$/.test(key);

/** Calls `leaveOut` for each key that nsv does not support. */
export function rawApps(
  { value, mistakes, dialect }: Loaded,
  leaveOut: (key: string, reason: string) => void,
): RawApp[] {
  if (value === null || value === undefined || value === '') return none('the file is empty: it must have "apps"');
  if (Array.isArray(value)) return each(value, []);
  if (!isObject(value)) return none(`the file must contain an object with "apps", not ${JSON.stringify(value)}`);
  // An old name that PM2 still knows.
  const list = dialect === 'pm2' && !('apps' in value) && 'pm2' in value ? 'pm2' : 'apps';
  const servers = dialect === 'pm2' && 'static' in value ? serversOf(value.static) : undefined;
  if (!(list in value)) {
    if (servers) return servers;
    if (spellingsOf('script').some((key) => key in value)) return one(value, []);
    const guess = nearest('apps', Object.keys(value));
    return none(`the file must have "apps"${guess ? `; did you mean that by "${guess}"?` : ''}`);
  }
  for (const key of Object.keys(value)) {
    if (key === list || isFree(key) || (servers && key === 'static')) continue;
    const reason = leftOutOfFile[key];
    if (reason !== undefined) leaveOut(key, reason);
    else if (dialect === 'pm2') leaveOut(key, unknownToBoth(key, [list]));
    else mistakes.add([key], 'is not a known key; a config file has "apps"');
  }
  const { [list]: apps } = value;
  return [...appsOf(apps), ...(servers ?? [])];

  function appsOf(apps: unknown): RawApp[] {
    if (isObject(apps)) return one(apps, [list]);
    if (!Array.isArray(apps)) return none(`must be a list of apps, not ${JSON.stringify(apps)}`, [list]);
    return each(apps, [list]);
  }

  function serversOf(entries: unknown): RawApp[] {
    if (!Array.isArray(entries)) return none('must be a list of objects with "path" and "port"', ['static']);
    return entries.flatMap((entry, index) => {
      const path = ['static', index];
      if (!isObject(entry)) return none('must be an object with "path" and "port"', path);
      const { directory, ...keys } = entry;
      if (directory) leaveOut('directory', 'nsv does not list the files of a directory');
      return fileServer(path, keys);
    });
  }

  function none(text: string, path: Path = []): RawApp[] {
    mistakes.add(path, text);
    return [];
  }

  function each(list: readonly unknown[], path: Path): RawApp[] {
    // PM2 has nothing to do then, and succeeds.
    if (list.length === 0 && dialect === 'pm2') {
      if (!servers) leaveOut('apps', 'it is empty');
      return [];
    }
    if (list.length === 0) return none(path.length > 0 ? 'is empty' : 'the list of apps is empty', path);
    return list.flatMap((keys, index) => one(keys, [...path, index]));
  }

  function one(keys: unknown, path: Path): RawApp[] {
    if (isObject(keys)) return [{ path, keys }];
    return none(`must be an object with "script", not ${JSON.stringify(keys)}`, path);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Keys that `script: 'serve'` takes as variables. */
const serverVariables = {
  path: 'PM2_SERVE_PATH',
  port: 'PM2_SERVE_PORT',
  spa: 'PM2_SERVE_SPA',
  host: 'PM2_SERVE_HOST',
};

/** A file server that PM2's config files list under `static`, as an app. The other keys are those of an app. */
function fileServer(path: Path, { basic_auth: auth, ...others }: RawApp['keys']): RawApp {
  const own = Object.entries(serverVariables).filter(([key]) => others[key] !== undefined);
  const settings = Object.fromEntries(Object.entries(others).filter(([key]) => !(key in serverVariables)));
  const env = {
    ...Object.fromEntries(own.map(([key, name]) => [name, others[key]])),
    PM2_SERVE_BASIC_AUTH: Boolean(auth),
    ...credentials(auth),
  };
  return { path, keys: { name: `static-page-server-${others.port ?? 8080}`, ...settings, script: 'serve', env } };
}

/** One that is missing is empty: the server then says so. */
function credentials(auth: unknown) {
  const { username = '', password = '' } = (auth || {}) as Record<string, unknown>;
  return auth ? { PM2_SERVE_BASIC_AUTH_USERNAME: username, PM2_SERVE_BASIC_AUTH_PASSWORD: password } : {};
}
