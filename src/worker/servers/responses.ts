// Adds `Connection: close` to every HTTP/1 response whose header is not yet written.
import type { ServerResponse } from 'node:http';
import { type HttpSocket, interceptHeaders, type ResponseHeader } from '../node-http.ts';

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
  interceptHeaders((header) => {
    const { response } = header;
    // If the app removed the header, clients would not know that the connection ends, so it stays open.
    if (reasons.size === 0 || header.isWithoutConnection || isFollowed(response)) {
      header.build();
      return;
    }
    response.shouldKeepAlive = false;
    header.build();
    // The app's own header has many forms as an argument of `writeHead`, but only one as text.
    const own = /\r\nconnection: *keep-alive(?=\r\n)/i;
    if (own.test(header.text)) {
      header.text = header.text.replace(own, '\r\nConnection: close');
      response.shouldKeepAlive = false;
      header.isLast = true;
    }
    if (header.isLast && !response.req.complete && isBounded(header)) keepOpenUntilRequestEnds(header);
  });
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

/** Undefined if the app created the request itself, to get the response in memory. */
function socketOf({ req }: ServerResponse): HttpSocket | undefined {
  return req.socket as HttpSocket | undefined;
}

/** Whether the client can find the end of the body without the end of the connection. */
function isBounded({ response, hasBody, text }: ResponseHeader): boolean {
  return response.chunkedEncoding || !hasBody || /\r\ncontent-length:/i.test(text);
}

/** Keeps the connection open while the client is sending: closing would reset it, and the response might be lost. */
function keepOpenUntilRequestEnds(header: ResponseHeader): void {
  const socket = socketOf(header.response);
  if (!socket) return;
  header.isLast = false;
  closingSoon.add(socket);
}
