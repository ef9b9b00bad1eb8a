// Environment variables that belong to one process that nsv has started, and to no other.

/** Its mark (daemon/process/mark.ts). */
export const markVariable = 'NSV_MARK';
/** Where a Node program reconnects if its daemon has died. */
export const daemonVariable = 'NSV_DAEMON';
/** What its descendants inherit, so that they are found after they have left its session (os/tree-mark.ts). */
export const treeVariable = 'NSV_TREE';
/** Set for the workers of an app's own cluster: how they share sockets (worker/delegates). */
export const clusterVariable = 'NSV_CLUSTER';

const own: readonly string[] = [markVariable, daemonVariable, treeVariable, clusterVariable];

/**
 * Removes them from the environment of a shell, which may run below an app: what it starts is another app, or belongs
 * to none.
 */
export function withoutOwnVariables(env: Record<string, string>): Record<string, string> {
  if (!own.some((key) => key in env)) return env;
  return Object.fromEntries(Object.entries(env).filter(([key]) => !own.includes(key)));
}
