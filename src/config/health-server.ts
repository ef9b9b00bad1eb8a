// The options of the health server of `nsv health --serve`, passed in environment variables.
import { homePaths } from '../shared/paths.ts';
import type { AppSpec } from './app-spec.ts';
import { integer, text } from './options/parsers.ts';

export interface HealthServerOptions {
  port: number;
  host: string;
}

/** The answers tell the names of apps and why they fail, so they are for this machine unless the user decides otherwise. */
export const defaultHealthHost = '127.0.0.1';

export const healthPort = integer(1, 65_535);

/** The home is named, because the variable may be missing in the shell. */
export function healthEnvironment({ port, host }: HealthServerOptions): Record<string, string> {
  return { NSV_HOME: homePaths().home, NSV_HEALTH_PORT: String(port), NSV_HEALTH_HOST: host };
}

/** Throws a BadValue. */
export function parseHealthServer(env: Readonly<Record<string, string | undefined>>): HealthServerOptions {
  return { port: healthPort(env.NSV_HEALTH_PORT), host: text(env.NSV_HEALTH_HOST) };
}

/** It does not report on itself: a daemon without other apps is not ready because somebody can ask whether it is. */
export function isHealthServer({ fileEnv }: Pick<AppSpec, 'fileEnv'>): boolean {
  return fileEnv.NSV_HEALTH_PORT !== undefined;
}
