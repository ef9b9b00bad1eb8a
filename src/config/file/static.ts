// The file servers that PM2's config files list under `static`, as apps.
import type { RawApp } from './apps.ts';
import type { Path } from './mistakes.ts';

/** Keys that `script: 'serve'` takes as variables. */
const variables = { path: 'PM2_SERVE_PATH', port: 'PM2_SERVE_PORT', spa: 'PM2_SERVE_SPA', host: 'PM2_SERVE_HOST' };

/** The other keys are those of an app. */
export function fileServer(path: Path, { basic_auth: auth, ...others }: RawApp['keys']): RawApp {
  const own = Object.entries(variables).filter(([key]) => others[key] !== undefined);
  const settings = Object.fromEntries(Object.entries(others).filter(([key]) => !(key in variables)));
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
