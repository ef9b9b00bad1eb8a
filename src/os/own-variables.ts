// Environment variables that belong to one process that nsv has started, and to no other.

/** Its mark (daemon/process/mark.ts). */
export const markVariable = 'NSV_MARK';
/** Where a Node program reconnects if its daemon has died. */
export const daemonVariable = 'NSV_DAEMON';
/** What its descendants inherit, so that they are found after they have left its session (os/tree-mark.ts). */
export const treeVariable = 'NSV_TREE';
/** Set for the command of a probe, so that the next daemon finds one that it does not wait for. */
export const probeVariable = 'NSV_PROBE';
/** Set for the workers of an app's own cluster: how they share sockets (worker/delegates). */
export const clusterVariable = 'NSV_CLUSTER';
/** Of a Node program: how many instances its app has (`instance` of nsv/app). */
export const instancesVariable = 'NSV_GROUP_SIZE';
/**
 * Of a Node program that is not the only one of its app, or not the first: the TCP ports of the sockets that its group has, as in
 * `3000,3001`; none if there are none yet.
 */
export const heldPortsVariable = 'NSV_HELD_PORTS';
/** Of a Node program with `--listen-each`: the port of this process. */
export const listenEachVariable = 'NSV_LISTEN_EACH';
/** The runtime settings that a Node program is given at its start: descriptor, bytes and version, as in `4:120:7`. */
export const settingsVariable = 'NSV_RUNTIME_SETTINGS';

const own: readonly string[] = [
  markVariable,
  daemonVariable,
  treeVariable,
  probeVariable,
  clusterVariable,
  instancesVariable,
  heldPortsVariable,
  listenEachVariable,
  settingsVariable,
];

export function isOwnVariable(name: string): boolean {
  return own.includes(name);
}

/**
 * Removes them from the environment of a shell, which may run below an app: what it starts is another app, or belongs
 * to none.
 */
export function withoutOwnVariables(env: Record<string, string>): Record<string, string> {
  if (!own.some((key) => key in env)) return env;
  return Object.fromEntries(Object.entries(env).filter(([key]) => !isOwnVariable(key)));
}
