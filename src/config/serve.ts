// The options of the file server of `nsv serve`, passed in the environment variables that PM2 uses.
import { resolve } from 'node:path';
import { isDirectory } from '../os/programs.ts';
import { BadValue, integer, oneOf } from './options/parsers.ts';

export interface ServeOptions {
  /** The directory whose files are served. */
  path: string;
  port: number;
  /** Undefined for all addresses of the machine. */
  host: string | undefined;
  /** Whether the homepage is served for paths that do not exist. */
  spa: boolean;
  /** Relative to the directory, with a leading slash. */
  homepage: string;
  auth: Credentials | undefined;
}

export interface Credentials {
  username: string;
  password: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

export const servePort = integer(0, 65_535);

/** Sets every variable, so that values from the shell cannot interfere with the command line. */
export function serveEnvironment({ path, port, host, spa, homepage, auth }: ServeOptions): Record<string, string> {
  return {
    PM2_SERVE_PATH: path,
    PM2_SERVE_PORT: String(port),
    PM2_SERVE_HOST: host ?? '',
    PM2_SERVE_SPA: String(spa),
    PM2_SERVE_HOMEPAGE: homepage,
    PM2_SERVE_BASIC_AUTH: String(auth !== undefined),
    ...(auth && { PM2_SERVE_BASIC_AUTH_USERNAME: auth.username, PM2_SERVE_BASIC_AUTH_PASSWORD: auth.password }),
  };
}

/** Throws a BadValue that names the variable. */
export function parseServeOptions(env: Environment, cwd: string): ServeOptions {
  const path = resolve(cwd, env.PM2_SERVE_PATH || '.');
  if (!isDirectory(path)) throw new BadValue(`PM2_SERVE_PATH names "${path}", which is not a directory`);
  return {
    path,
    port: read(env, env.PM2_SERVE_PORT ? 'PM2_SERVE_PORT' : 'PORT', servePort) ?? defaultServePort,
    host: env.PM2_SERVE_HOST || undefined,
    spa: read(env, 'PM2_SERVE_SPA', yesOrNo) ?? false,
    homepage: `/${(env.PM2_SERVE_HOMEPAGE || defaultHomepage).replace(/^\/+/, '')}`,
    auth: credentialsOf(env),
  };
}

export const defaultServePort = 8080;
export const defaultHomepage = '/index.html';

const yesOrNo = (input: unknown) => oneOf('true', 'false')(input) === 'true';

function read<T>(env: Environment, name: string, parse: (input: unknown) => T): T | undefined {
  const value = env[name];
  if (!value) return undefined;
  try {
    return parse(value);
  } catch (error) {
    throw error instanceof BadValue ? new BadValue(`${name} ${error.message}`) : error;
  }
}

/** Incomplete credentials are an error: they must not leave the files open to everybody. */
function credentialsOf(env: Environment): Credentials | undefined {
  const { PM2_SERVE_BASIC_AUTH_USERNAME: username, PM2_SERVE_BASIC_AUTH_PASSWORD: password } = env;
  const isWanted = read(env, 'PM2_SERVE_BASIC_AUTH', yesOrNo) ?? Boolean(username || password);
  if (!isWanted) return undefined;
  if (username && password && !username.includes(':')) return { username, password };
  throw new BadValue(
    'PM2_SERVE_BASIC_AUTH needs PM2_SERVE_BASIC_AUTH_USERNAME, without a colon, and PM2_SERVE_BASIC_AUTH_PASSWORD',
  );
}
