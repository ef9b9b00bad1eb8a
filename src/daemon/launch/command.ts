// What a process is started with: its command line, with everything before and after the program, and its environment. Pure.
import type { AppSpec } from '../../config/app-spec.ts';
import { instanceEnvironment } from '../../config/environment.ts';
import { attachFlag } from '../../ipc/worker-messages.ts';
import {
  daemonVariable,
  heldPortsVariable,
  instancesVariable,
  listenEachVariable,
  markVariable,
} from '../../os/own-variables.ts';
import type { TreeMark } from '../../os/tree-mark.ts';
import type { Words } from '../../privileges/privileges.ts';
import { variablesFor } from './descendants.ts';
import type { LaunchPlan } from './launcher.ts';
import { settingsVariableOf } from './runtime-settings.ts';

interface Settings extends Pick<AppSpec, 'node' | 'interpreter' | 'interpreterArgs' | 'script' | 'args' | 'env'> {
  /** Loaded into Node programs before any user code. */
  preload: string;
}

/** Settings of Node's inspector, also in NODE_OPTIONS. */
const inspecting = /--(inspect|debug|disable-sigusr1)/;

/** `attachable`: nsv may look into the program by its inspector, unless the user has settings for that. */
export function commandOf(
  { node, interpreter, interpreterArgs, script, args, env, preload }: Settings,
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

/** `address`: where a Node program finds the next daemon. */
export function environmentOf(
  plan: LaunchPlan,
  tree: TreeMark | undefined,
  address: string | undefined,
  isBrokered: boolean,
): Record<string, string> {
  const { spec, heldPorts, slot } = plan;
  return {
    ...instanceEnvironment(spec, plan),
    ...conventions(plan),
    ...(spec.node && { [instancesVariable]: String(spec.instances) }),
    ...(heldPorts && { [heldPortsVariable]: heldPorts.join(',') }),
    ...(spec.listenEach && { [listenEachVariable]: String(spec.listenEach + slot) }),
    ...forNextDaemon(plan, address),
    ...(isBrokered && channelVariables),
    ...settingsVariableOf(plan),
    ...variablesFor(tree),
  };
}

/** What Node sets itself for a channel that it has made: the pipe that is descriptor 3 becomes one, read by a broker. */
const channelVariables = { NODE_CHANNEL_FD: '3', NODE_CHANNEL_SERIALIZATION_MODE: 'json' };

/** Variables that describe the inherited descriptors to the program. */
function conventions({ spec, sockets }: LaunchPlan): Record<string, string> {
  return {
    ...(sockets.length > 0 && listenVariables(spec, sockets)),
    ...(spec.waitReady && !spec.node && { NSV_NOTIFY_FD: String(3 + sockets.length) }),
  };
}

/** Variables by which the next daemon and the program find each other. */
function forNextDaemon({ spec, mark }: LaunchPlan, workers: string | undefined): Record<string, string> {
  if (mark === undefined) return {};
  return {
    [markVariable]: mark,
    ...(spec.node && workers !== undefined && { [daemonVariable]: workers }),
  };
}
