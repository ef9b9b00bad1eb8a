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

/** A response whose header is being built. */
export class ResponseHeader {
  readonly response: NodeResponse;
  readonly build: () => void;

  constructor(response: NodeResponse, build: () => void) {
    this.response = response;
    this.build = build;
  }

  /** Once it is built. */
  get text(): string {
    return this.response._header;
  }

  set text(text: string) {
    this.response._header = text;
  }

  /** Whether to end the connection after this response. */
  get isLast(): boolean {
    return this.response._last;
  }

  set isLast(isLast: boolean) {
    this.response._last = isLast;
  }

  get hasBody(): boolean {
    return this.response._hasBody;
  }

  /** Whether the app has removed the Connection header. */
  get isWithoutConnection(): boolean {
    return this.response._removedConnection;
  }
}

/** Calls `building` whenever the header of a response is to be built, which it does by `build()`. */
export function interceptHeaders(building: (header: ResponseHeader) => void): void {
  const prototype = process.getBuiltinModule('node:http').ServerResponse.prototype as NodeResponse;
  const { _storeHeader: storeHeader } = prototype;
  prototype._storeHeader = function (...args) {
    building(new ResponseHeader(this, () => storeHeader.apply(this, args)));
  };
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
