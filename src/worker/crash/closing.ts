// An app with its own handler of uncaught errors is left alone, but many of those handlers close all servers, and exit
// when the last request is answered. Until then nobody would listen: so the daemon is told when the last one is closed, and
// starts the successor. The clients that are still connected are sent to it.
import { tell } from '../channel.ts';
import { isRetired, sendAway } from '../drain.ts';
import { type NodeServer, onCloseIdle } from '../node-internals.ts';
import { servers, whenClosed } from '../servers/servers.ts';

/** Saved: an app may replace the globals, with fake timers for instance. */
const { performance } = globalThis;

/** What the app closes later than so many ms after an error has nothing to do with it. */
let patience = 0;
let failedAt = Number.NEGATIVE_INFINITY;
let closed = new Set<NodeServer>();

/** The app is about to deal with an uncaught error. */
export function noteFailure(): void {
  failedAt = performance.now();
  closed = new Set();
  for (const server of servers) spareIdle(server);
}

function hasFailed(): boolean {
  return performance.now() - failedAt <= patience;
}

/** `close` would cut off the requests that are on their way. */
function spareIdle(server: NodeServer): void {
  const { closeIdleConnections: close } = server;
  if (!close || Object.hasOwn(server, 'closeIdleConnections')) return;
  onCloseIdle(server, () => (hasFailed() ? undefined : close.call(server)));
}

export function watchClosing(killTimeout: number): void {
  patience = killTimeout;
  whenClosed((server) => {
    if (isRetired(server) || !hasFailed()) return;
    closed.add(server);
    if (servers.size > 0) return;
    sendAway(closed);
    tell({ type: 'suicide', reason: 'it has closed its servers after an uncaught error' });
  });
}
