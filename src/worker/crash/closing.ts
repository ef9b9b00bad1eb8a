// Detects apps that shut down after an uncaught error. nsv does not interfere with an app's own error handler, but many
// handlers close all servers and exit when the last request is answered. Until the exit nothing would listen. So when
// the last server closes, the daemon is told to start the successor, and connected clients are sent there.
import { monotonicNow } from '../clock.ts';
import { isRetired } from '../drain.ts';
import { onCloseIdle } from '../node-http.ts';
import type { NodeServer } from '../node-sockets.ts';
import { servers, whenClosed } from '../servers/servers.ts';
import { noteClosed, timeToEnd } from '../shutdown/life.ts';

let failedAt = Number.NEGATIVE_INFINITY;
let closed = new Set<NodeServer>();

/** Called before the app handles an uncaught error. */
export function noteHandledError(): void {
  failedAt = monotonicNow();
  closed = new Set();
  for (const server of servers) keepOpen(server);
}

/** A server that closes later has nothing to do with the error. */
function hasFailed(): boolean {
  return monotonicNow() - failedAt <= timeToEnd();
}

/** Disables the part of `close` that would cut off requests on their way. */
function keepOpen(server: NodeServer): void {
  const { closeIdleConnections: close } = server;
  if (!close || Object.hasOwn(server, 'closeIdleConnections')) return;
  onCloseIdle(server, () => (hasFailed() ? undefined : close.call(server)));
}

export function watchClosing(): void {
  whenClosed((server) => {
    if (isRetired(server) || !hasFailed()) return;
    closed.add(server);
    if (servers.size > 0) return;
    noteClosed(closed);
  });
}
