// What is executed for an app: the program with all that goes before and behind it. Pure.
import type { AppSpec } from '../../config/app-spec.ts';
import type { LaunchPlan } from './launcher.ts';

type Settings = Pick<AppSpec, 'node' | 'interpreter' | 'interpreterArgs' | 'script' | 'args'>;
export type Words = readonly [program: string, ...args: string[]];

/** `preload` is loaded into Node programs before anything of the user's. */
export function commandOf({ node, interpreter, interpreterArgs, script, args }: Settings, preload: string): Words {
  if (interpreter === undefined) return [script, ...args];
  const ours = node ? ['--require', preload] : [];
  return [interpreter, ...ours, ...interpreterArgs, script, ...args];
}

/** LISTEN_PID has to be the pid of the program itself: known when the process exists, and the same after exec. */
export function withListenPid(command: Words): Words {
  return ['/bin/sh', '-c', 'LISTEN_PID=$$; export LISTEN_PID; exec "$@"', 'sh', ...command];
}

/** The variables of sd_listen_fds(3), but for LISTEN_PID. */
export function listenVariables(app: Pick<AppSpec, 'name'>, sockets: LaunchPlan['sockets']): Record<string, string> {
  const names = sockets.map(({ name = app.name }) => name);
  return { LISTEN_FDS: String(sockets.length), LISTEN_FDNAMES: names.join(':') };
}
