// The way to the daemon, if nsv has started this process.
import { type Bridge, bridgeKey } from '../ipc/app/bridge.ts';
import { shared } from './shared.ts';

/** Undefined without nsv, in a thread, and in a process that the app has forked: there the library works alone. */
export function bridge(): Bridge | undefined {
  const offered = (process as typeof process & { [bridgeKey]?: Bridge })[bridgeKey];
  return offered?.version === 1 ? offered : undefined;
}

interface Capabilities {
  messages: boolean;
  metrics: boolean;
  /** Of changed settings. */
  checks: boolean;
}

/** Tells each daemon what the app has a use for, so that it sends nothing else. */
export function declareCapabilities(change: Partial<Capabilities>): void {
  const own = shared<Capabilities & { isDeclared: boolean }>('taking part', () => ({
    messages: false,
    metrics: false,
    checks: false,
    isDeclared: false,
  }));
  Object.assign(own, change);
  const send = () => {
    const { messages, metrics, checks } = own;
    bridge()?.send({ type: 'capabilities', messages, metrics, checks });
  };
  send();
  if (!own.isDeclared) bridge()?.onReconnected(send);
  own.isDeclared = true;
}
