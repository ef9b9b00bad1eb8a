// The way to the daemon, if nsv has started this process.
import { type Bridge, bridgeKey } from '../ipc/app/bridge.ts';

/** Undefined without nsv, in a thread, and in a process that the app has forked: there the library works alone. */
export function bridge(): Bridge | undefined {
  const offered = (process as typeof process & { [bridgeKey]?: Bridge })[bridgeKey];
  return offered?.version === 1 ? offered : undefined;
}
