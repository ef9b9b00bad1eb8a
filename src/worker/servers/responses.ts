// Adds `Connection: close` to every HTTP/1 response whose header is not yet written.
import type { ServerResponse } from 'node:http';
import { announceCloseIf, type HttpSocket, socketOf } from '../node-http.ts';

/** Connections whose client was told that they end, but is still sending the rest of its request. */
const closingSoon = new WeakSet<HttpSocket>();

/** What `Connection: close` is announced for. A process that is failing or not ready may serve on after all. */
const reasons = new Set<'leaving' | 'failing' | 'unready'>();
let isIntercepted = false;

/** Whether the connection is to be closed as soon as it is idle. */
export function isClosingSoon(socket: HttpSocket): boolean {
  return closingSoon.has(socket);
}

export function announceClose(reason: 'leaving' | 'failing' | 'unready' = 'leaving'): void {
  reasons.add(reason);
  if (isIntercepted) return;
  isIntercepted = true;
  announceCloseIf(
    (response) => reasons.size > 0 && !isFollowed(response),
    (socket) => closingSoon.add(socket),
  );
}

export function stopAnnouncing(reason: 'failing' | 'unready'): void {
  reasons.delete(reason);
}

/**
 * Whether the client has pipelined another request that has arrived already: then that one's response is the last. A
 * request that arrives behind an immediately answered one is not known yet; `hearOut` makes sure that it is answered.
 */
function isFollowed(response: ServerResponse): boolean {
  const latest = socketOf(response)?.parser?.incoming;
  return Boolean(latest) && latest !== response.req;
}
