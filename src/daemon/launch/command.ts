// The command line of an app: the program, with everything before and after it. Pure.
import type { AppSpec } from '../../config/app-spec.ts';
import { attachFlag } from '../../ipc/worker-messages.ts';
import type { Words } from '../../privileges/privileges.ts';
import type { LaunchPlan } from './launcher.ts';

type Settings = Pick<AppSpec, 'node' | 'interpreter' | 'interpreterArgs' | 'script' | 'args' | 'env'>;

/** Settings of Node's inspector, also in NODE_OPTIONS. */
const inspecting = /--(inspect|debug|disable-sigusr1)/;

/**
 * `preload` is loaded into Node programs before any user code. `attachable`: nsv may look into the program by its inspector,
 * unless the user has settings for that.
 */
export function commandOf(
  { node, interpreter, interpreterArgs, script, args, env }: Settings,
  preload: string,
  attachable: boolean,
): Words {
  if (interpreter === undefined) return [script, ...args];
  const isFree = ![...interpreterArgs, env.NODE_OPTIONS ?? ''].some((word) => inspecting.test(word));
  const ours = node ? ['--require', preload, ...(attachable && isFree ? [attachFlag] : [])] : [];
  return [interpreter, ...ours, ...interpreterArgs, script, ...args];
}

/** Sets LISTEN_PID, which has to be the pid of the program: a shell knows its pid and keeps it across exec. */
export function withListenPid(command: Words): Words {
  return ['/bin/sh', '-c', 'LISTEN_PID=$$; export LISTEN_PID; exec "$@"', 'sh', ...command];
}

/** The variables of sd_listen_fds(3), except LISTEN_PID. */
export function listenVariables(app: Pick<AppSpec, 'name'>, sockets: LaunchPlan['sockets']): Record<string, string> {
  const names = sockets.map(({ name = app.name }) => descriptorName(name));
  return { LISTEN_FDS: String(sockets.length), LISTEN_FDNAMES: names.join(':') };
}

/** The longest name of a descriptor: https://github.com/systemd/systemd/blob/main/src/basic/fd-util.h (FDNAME_MAX). */
const longestName = 255;

/** Printable ASCII without the separator, as in sd_listen_fds_with_names(3); `_` stands for everything else. */
function descriptorName(name: string): string {
  return name.replaceAll(/[^ -9;-~]/g, '_').slice(0, longestName);
}
