// `Connection: close` on every HTTP/1 response whose header is still to be written.
import type { HttpSocket, NodeResponse } from '../node-internals.ts';

/** Told that no more is answered, but for now still sending the rest of its request. */
const told = new WeakSet<HttpSocket>();

let isIntercepted = false;

/** The connection is to be closed as soon as nothing is under way on it. */
export function isTold(socket: HttpSocket): boolean {
  return told.has(socket);
}

export function announceClose(): void {
  if (isIntercepted) return;
  isIntercepted = true;
  const response = process.getBuiltinModule('node:http').ServerResponse.prototype as NodeResponse;
  const { _storeHeader: storeHeader } = response;
  response._storeHeader = function (...args) {
    // An app that has removed the header cannot be spoken for: its clients would not know that the connection ends.
    if (this._removedConnection || isFollowed(this)) return storeHeader.apply(this, args);
    this.shouldKeepAlive = false;
    storeHeader.apply(this, args);
    // The app's own word for it comes in any of the shapes that `writeHead` takes; here it is text.
    const own = /\r\nconnection: *keep-alive(?=\r\n)/i;
    if (own.test(this._header)) {
      this._header = this._header.replace(own, '\r\nConnection: close');
      this.shouldKeepAlive = false;
      this._last = true;
    }
    if (this._last && !this.req.complete && isBounded(this)) hearOut(this);
  };
}

/**
 * The client has sent the next request without waiting, and it is here: that one's answer is to be the last. What comes
 * behind a request that is answered at once is not known of yet; it is answered too, by `hearOut`.
 */
function isFollowed(response: NodeResponse): boolean {
  const latest = socketOf(response)?.parser?.incoming;
  return Boolean(latest) && latest !== response.req;
}

/** Undefined where the app has made the request itself, to have the response in memory. */
function socketOf({ req }: NodeResponse): HttpSocket | undefined {
  return req.socket as HttpSocket | undefined;
}

/** The client knows where the body ends without the end of the connection. */
function isBounded({ chunkedEncoding, _hasBody, _header }: NodeResponse): boolean {
  return chunkedEncoding || !_hasBody || /\r\ncontent-length:/i.test(_header);
}

/** To close while the client still sends is to reset the connection, and the client may never read the answer. */
function hearOut(response: NodeResponse): void {
  const socket = socketOf(response);
  if (!socket) return;
  response._last = false;
  told.add(socket);
}
