// What a configuration of lightship means. Pure.
import type { ConfigurationInput } from '../../../app/index.cjs';
import { durationOf } from '../clock.ts';

export interface Surroundings {
  /** The variables that matter. */
  env: { KUBERNETES_SERVICE_HOST?: string | undefined; LIGHTSHIP_PORT?: string | undefined };
  /** Whether nsv has started the process. */
  isManaged: boolean;
}

export interface LightshipSettings {
  /** 0 for any. */
  port: number;
  gracefulShutdownTimeout: number;
  shutdownDelay: number;
  shutdownHandlerTimeout: number;
  signals: readonly NodeJS.Signals[];
}

const usual = {
  port: 9_000,
  gracefulShutdownTimeout: 30_000,
  shutdownDelay: 5_000,
  shutdownHandlerTimeout: 5_000,
  signals: ['SIGTERM', 'SIGHUP', 'SIGINT'],
};

/** Throws a TypeError for a value that cannot be meant. */
export function lightshipSettingsOf(
  configuration: ConfigurationInput,
  { env, isManaged }: Surroundings,
): LightshipSettings {
  const { detectKubernetes = true, port, timeout, shutdownDelay, signals = usual.signals } = configuration;
  const { gracefulShutdownTimeout = timeout ?? usual.gracefulShutdownTimeout } = configuration;
  const { shutdownHandlerTimeout = Math.min(usual.shutdownHandlerTimeout, timeout ?? Number.POSITIVE_INFINITY) } =
    configuration;
  const isKubernetes = Boolean(env.KUBERNETES_SERVICE_HOST);
  const isLocal = detectKubernetes && !isKubernetes;
  // Nobody has to learn from a failing probe that nsv stops a process. And a program that still says `timeout` is of a
  // time before there was a delay.
  const hasDelay = !isLocal && !(isManaged && !isKubernetes) && timeout === undefined;
  const usualDelay = hasDelay ? usual.shutdownDelay : 0;
  if (gracefulShutdownTimeout < shutdownHandlerTimeout)
    throw new TypeError(
      `"gracefulShutdownTimeout" must be at least "shutdownHandlerTimeout" (${shutdownHandlerTimeout}), not ${gracefulShutdownTimeout}`,
    );
  return {
    port: isLocal ? 0 : portOf(port ?? env.LIGHTSHIP_PORT ?? usual.port),
    gracefulShutdownTimeout: durationOf('gracefulShutdownTimeout', gracefulShutdownTimeout),
    shutdownDelay:
      shutdownDelay === 0 ? 0 : shutdownDelay === undefined ? usualDelay : durationOf('shutdownDelay', shutdownDelay),
    shutdownHandlerTimeout: durationOf('shutdownHandlerTimeout', shutdownHandlerTimeout),
    signals: signals as NodeJS.Signals[],
  };
}

function portOf(value: unknown): number {
  const port = Number(value);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new TypeError(`"port" must be a port number, not ${String(value)}`);
}
