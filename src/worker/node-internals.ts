// Node internals that the preload uses. They are the same on Node 20 to 26, and only this file, node-channel.ts and
// node-processes.ts name them.
import { Socket as UdpSocket } from 'node:dgram';
import type { ServerResponse } from 'node:http';
import { Server, Socket } from 'node:net';
import { constants } from 'node:os';

/** A socket as libuv holds it. */
export interface NodeHandle {
  close(done?: () => void): void;
  /** Set where a thread owns the descriptor: whether it still has it. */
  isOpen?: () => boolean;
}

/** The handle of a `net.Server`, or a stand-in for it. */
export interface NodeServerHandle extends NodeHandle {
  /** Returns 0, or a negative error number. */
  listen(backlog: number): number;
  /** Set by the server; called with each new connection. */
  onconnection?: ((errno: number, client: NodeHandle) => void) | undefined;
  getsockname?: ((out: object) => number) | undefined;
  /** Sets the mode of a Unix socket; returns 0 or a negative error number. */
  fchmod?: (mode: number) => number;
  ref(): void;
  unref(): void;
  hasRef?(): boolean;
  /** Both return 0, or a negative error number. */
  readStart?(): number;
  readStop?(): number;
}

/** The handle of a `dgram.Socket`. */
export interface UdpHandle extends NodeHandle {
  lookup: Lookup;
  bind(ip: string, port: number, flags: number): number;
}

export type Lookup = (host: string, done: (error: Error | null, ip?: string) => void) => void;

/** The function that `listen` calls once it has parsed its arguments and looked up the host. */
export type Listen2 = (
  this: NodeServer,
  /** An IP address, a path, or null for any address. */
  address: string | null,
  port: number | null,
  /** 4 or 6; -1 for a path. */
  addressType: number | null,
  backlog?: number,
  fd?: number,
  flags?: number,
) => void;

export type NodeServer = Server & {
  _handle: NodeServerHandle | null;
  /** Node calls it as a method so that others can wrap it, as lib/net.js says. */
  _listen2: Listen2;
  /** Set by `unref()`. */
  _unref?: boolean;
  /** Number of open connections, as `getConnections` reports it, but synchronously. */
  _connections: number;
  /** On http, https and http2 servers. */
  closeIdleConnections?: () => void;
  /** On TLS servers. */
  setSecureContext?: unknown;
};

/** A connection that a server has accepted. */
export type ServerSocket = HttpSocket & {
  _server?: NodeServer | null;
  /** The underlying socket of a TLS connection. */
  _parent?: Socket | null;
};

/** The HTTP/1 side of a connection. Over TLS this is not the accepted socket. */
export type HttpSocket = Socket & {
  /** Holds the last request read. Null after an upgrade. */
  parser?: { incoming?: { complete: boolean } | null; getAsyncId?(): number } | null;
  /** The response being written. */
  _httpMessage?: ServerResponse | null;
};

/** State of a response before its header is sent. */
export type NodeResponse = ServerResponse & {
  /** Builds `_header` from the app's headers. */
  _storeHeader(firstLine: string, headers: unknown): void;
  _header: string;
  /** Whether to end the connection after this response. */
  _last: boolean;
  _hasBody: boolean;
  /** The app removed the Connection header. */
  _removedConnection: boolean;
};

export interface UdpState {
  handle: UdpHandle | null;
  reuseAddr?: boolean;
  reusePort?: boolean;
  ipv6Only?: boolean;
}

export const serverPrototype = Server.prototype as NodeServer;
export const udpPrototype = UdpSocket.prototype;

/**
 * Takes a listening socket out of the poll set of the event loop, until `startPolling`. Returns false if that is not
 * possible. libuv has no function for it. But it starts and stops polling for any stream that it may read, whatever it
 * then does with what has come; and it may read what was received over a channel. An open socket that is not polled does
 * not keep the event loop alive.
 */
export function stopPolling(handle: NodeServerHandle): boolean {
  const errno = handle.readStart?.();
  // It is read already if it has left before.
  return (errno === 0 || errno === -constants.errno.EALREADY) && handle.readStop?.() === 0;
}

/** For a socket that `stopPolling` has stopped: another `listen` would need to know the length of the queue. */
export function startPolling(handle: NodeServerHandle): void {
  handle.readStart?.();
}

/** libuv's flags for `listen`. */
export const ipv6OnlyFlag = 1;
export const reusePortFlag = 2;

export function udpStateOf(socket: UdpSocket): UdpState | undefined {
  return hidden(socket, 'state symbol') as UdpState | undefined;
}

/** The handle of a socket that connects by TCP. */
export interface ConnectingHandle extends NodeHandle {
  /** These two return 0, or a negative error number. */
  connect(request: ConnectRequest, ip: string, port: number): number;
  connect6(request: ConnectRequest, ip: string, port: number): number;
}

export interface ConnectRequest {
  oncomplete(errno: number, handle: NodeHandle, request: ConnectRequest, readable: boolean, writable: boolean): void;
}

/** What all handles of TCP sockets inherit from. `connect`: Node's own. */
export function tcpPrototype(connect: Socket['connect']): ConnectingHandle {
  const socket = new Socket() as Socket & { _handle: ConnectingHandle };
  // The name is never found, so the handle connects nowhere.
  Reflect.apply(connect, socket, [{ host: 'nowhere', port: 1, lookup() {} }]);
  const prototype = Object.getPrototypeOf(socket._handle) as ConnectingHandle;
  socket.destroy();
  return prototype;
}

/** The `net.Socket` of the handle. */
export function ownerOf(handle: NodeHandle): object | undefined {
  return hidden(handle, 'owner_symbol') as object | undefined;
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

/** Whether the process waits for the system to answer a request of this kind, by Node's names: `FSReqCallback`, `TCPConnectWrap`. */
export function hasRequest(kind: RegExp): boolean {
  return process.getActiveResourcesInfo().some((name) => kind.test(name));
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

/** The value of a property whose key is a symbol of Node's, by the description of the symbol. */
export function hidden(of: object, name: string): unknown {
  const symbol = Object.getOwnPropertySymbols(of).find(({ description }) => description === name);
  return symbol && Reflect.get(of, symbol);
}

/** Makes writes to a pipe or socket synchronous. Other streams write synchronously anyway. */
export function writeAtOnce(stream: object): void {
  const { _handle: handle } = stream as { _handle?: { setBlocking?: (on: boolean) => number } | null };
  handle?.setBlocking?.(true);
}

/** Replaces `server.closeIdleConnections`, which `close` calls and the app may call itself. */
export function onCloseIdle(server: NodeServer, value: () => void): void {
  Object.defineProperty(server, 'closeIdleConnections', { value, configurable: true, writable: true });
}

/** Calls `closed` when the handle is first closed. */
export function onClose(handle: NodeHandle, closed: () => void): void {
  const close = handle.close;
  handle.close = (done) => {
    handle.close = close;
    closed();
    handle.close(done);
  };
}
