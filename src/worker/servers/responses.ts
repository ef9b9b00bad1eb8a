// Adds `Connection: close` to every HTTP/1 response whose header is not yet written.
import type { HttpSocket, NodeResponse } from '../node-internals.ts';

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
  const response = process.getBuiltinModule('node:http').ServerResponse.prototype as NodeResponse;
  const { _storeHeader: storeHeader } = response;
  response._storeHeader = function (...args) {
    // If the app removed the header, clients would not know that the connection ends, so it stays open.
    if (reasons.size === 0 || this._removedConnection || isFollowed(this)) return storeHeader.apply(this, args);
    this.shouldKeepAlive = false;
    storeHeader.apply(this, args);
    // The app's own header has many forms as an argument of `writeHead`, but only one as text.
    const own = /\r\nconnection: *keep-alive(?=\r\n)/i;
    if (own.test(this._header)) {
      this._header = this._header.replace(own, '\r\nConnection: close');
      this.shouldKeepAlive = false;
      this._last = true;
    }
    if (this._last && !this.req.complete && isBounded(this)) keepOpenUntilRequestEnds(this);
  };
}

export function stopAnnouncing(reason: 'failing' | 'unready'): void {
  reasons.delete(reason);
}

/**
 * Whether the client has pipelined another request that has arrived already: then that one's response is the last. A
 * request that arrives behind an immediately answered one is not known yet; `hearOut` makes sure that it is answered.
 */
function isFollowed(response: NodeResponse): boolean {
  const latest = socketOf(response)?.parser?.incoming;
  return Boolean(latest) && latest !== response.req;
}

/** Undefined if the app created the request itself, to get the response in memory. */
function socketOf({ req }: NodeResponse): HttpSocket | undefined {
  return req.socket as HttpSocket | undefined;
}

/** Whether the client can find the end of the body without the end of the connection. */
function isBounded({ chunkedEncoding, _hasBody, _header }: NodeResponse): boolean {
  return chunkedEncoding || !_hasBody || /\r\ncontent-length:/i.test(_header);
}

/** Keeps the connection open while the client is sending: closing would reset it, and the response might be lost. */
function keepOpenUntilRequestEnds(response: NodeResponse): void {
  const socket = socketOf(response);
  if (!socket) return;
  response._last = false;
  closingSoon.add(socket);
}
