// Node's private members of HTTP/1 and HTTP/2, and of the connections that servers have accepted.
import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { hidden, type NodeServer } from './node-sockets.ts';

/** A connection that a server has accepted. */
export type ServerSocket = HttpSocket & { _server?: NodeServer | null; _parent?: Socket | null };

/** The HTTP/1 side of a connection. Over TLS this is not the accepted socket. */
export type HttpSocket = Socket & {
  /** Holds the last request read. Null after an upgrade. */
  parser?: { incoming?: { complete: boolean } | null; getAsyncId?(): number } | null;
  _httpMessage?: ServerResponse | null;
};

type NodeResponse = ServerResponse & {
  /** Builds `_header` from the app's headers. */
  _storeHeader(firstLine: string, headers: unknown): void;
  _header: string;
  _last: boolean;
  _hasBody: boolean;
  _removedConnection: boolean;
};

/** Whether the app has loaded Node's HTTP server, directly or as a part of HTTPS or HTTP/2. */
export function hasLoadedHttp(): boolean {
  const { moduleLoadList } = process as unknown as { moduleLoadList: readonly string[] };
  return moduleLoadList.includes('NativeModule _http_server');
}

/**
 * Adds `Connection: close` to the header of each response for which `isAnnounced` returns true. If the client is still sending
 * its request, the connection stays open nevertheless, because closing would reset it, and the response might be lost:
 * `keepOpen` gets it, to close it later.
 */
export function announceCloseIf(
  isAnnounced: (response: ServerResponse) => boolean,
  keepOpen: (socket: HttpSocket) => void,
): void {
  const prototype = process.getBuiltinModule('node:http').ServerResponse.prototype as NodeResponse;
  const { _storeHeader: storeHeader } = prototype;
  prototype._storeHeader = function (...args) {
    // If the app removed the header, clients would not know that the connection ends, so it stays open.
    if (this._removedConnection || !isAnnounced(this)) return storeHeader.apply(this, args);
    this.shouldKeepAlive = false;
    storeHeader.apply(this, args);
    // The app's own header has many forms as an argument of `writeHead`, but only one as text.
    const own = /\r\nconnection: *keep-alive(?=\r\n)/i;
    if (own.test(this._header)) {
      this._header = this._header.replace(own, '\r\nConnection: close');
      this.shouldKeepAlive = false;
      this._last = true;
    }
    const socket = socketOf(this);
    if (!this._last || this.req.complete || !isBounded(this) || !socket) return;
    this._last = false;
    keepOpen(socket);
  };
}

/** Whether the client can find the end of the body without the end of the connection. */
function isBounded({ chunkedEncoding, _hasBody, _header }: NodeResponse): boolean {
  return chunkedEncoding || !_hasBody || /\r\ncontent-length:/i.test(_header);
}

/** Undefined if the app created the request itself, to get the response in memory. */
export function socketOf({ req }: ServerResponse): HttpSocket | undefined {
  return req.socket as HttpSocket | undefined;
}

/** The server that has accepted the connection. */
export function serverOf(socket: ServerSocket): NodeServer | undefined {
  return socket._server ?? undefined;
}

/** The underlying socket of a TLS connection. */
export function socketBelow(socket: ServerSocket): Socket | undefined {
  return socket._parent ?? undefined;
}

/** The response being written. */
export function responseOn(socket: HttpSocket): ServerResponse | undefined {
  return socket._httpMessage ?? undefined;
}

/** The server's HTTP/1 connections; true for those on which no request is arriving. */
export function httpConnectionsOf(server: NodeServer): Map<HttpSocket, boolean> {
  const list = hidden(server, 'http.server.connections') as ConnectionsList | undefined;
  const idle = new Set(list?.idle());
  const all = new Map<HttpSocket, boolean>();
  for (const parser of list?.all() ?? []) if (parser.socket) all.set(parser.socket, idle.has(parser));
  return all;
}

interface ConnectionsList {
  all(): { socket: HttpSocket | null }[];
  idle(): { socket: HttpSocket | null }[];
}

/** All connections of this process, of any server. */
export function acceptedSockets(): ServerSocket[] {
  return activeHandles().filter((handle): handle is ServerSocket => '_server' in handle && Boolean(handle._server));
}

/** The connections that this process has made, as far as they keep it alive: whom they lead to. */
export function connectionsToOthers(): { address: string; port: number | undefined }[] {
  const made = activeHandles().filter((handle) => handle instanceof Socket && !(handle as ServerSocket)._server);
  return (made as Socket[]).flatMap(({ remoteAddress: address, remotePort: port }) =>
    address === undefined ? [] : [{ address, port }],
  );
}

/** What keeps the process alive, but for timers and requests to the system. */
function activeHandles(): object[] {
  const { _getActiveHandles: all } = process as typeof process & { _getActiveHandles?: () => object[] };
  return all?.call(process) ?? [];
}

/** The part of the `ws` package's WebSocket that is the same in all versions. */
export interface WebSocket {
  readyState: number;
  OPEN: number;
  close(code: number): void;
}

export function webSocketOf(socket: Socket): WebSocket | undefined {
  const found = hidden(socket, 'websocket') as Partial<WebSocket> | undefined;
  return typeof found?.close === 'function' ? (found as WebSocket) : undefined;
}

/** Number of open requests of an http2 session. */
export function streamsOf(session: object): number {
  const state = hidden(session, 'state') as { streams?: Map<number, unknown> } | undefined;
  return state?.streams?.size ?? 1;
}

/** The connection of an http2 session; undefined when the session is over. */
export function sessionSocketOf(session: object): Socket | undefined {
  return hidden(session, 'socket') as Socket | undefined;
}

/**
 * The connection of an http2 session, if bytes may be written between its frames: Node writes whole frames, and the
 * system keeps the order. Undefined over TLS, where Node allows only one write at a time, and before the first frame.
 */
export function plainSocketOf(session: object): Socket | undefined {
  const socket = sessionSocketOf(session) as (Socket & { _handle?: WrittenHandle | null }) | undefined;
  const handle = socket?._handle;
  return handle && ['TCP', 'Pipe'].includes(handle.constructor.name) && handle.bytesWritten > 0 ? socket : undefined;
}

interface WrittenHandle {
  /** Includes what Node itself wrote. */
  bytesWritten: number;
}

/** Replaces `server.closeIdleConnections`, which `close` calls and the app may call itself. */
export function onCloseIdle(server: NodeServer, value: () => void): void {
  Object.defineProperty(server, 'closeIdleConnections', { value, configurable: true, writable: true });
}
