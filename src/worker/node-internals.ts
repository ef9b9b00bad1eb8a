// The inner parts of Node that the preload touches: the same on Node 20 to 26, and named here only.
import { Socket as UdpSocket } from 'node:dgram';
import type { ServerResponse } from 'node:http';
import { Server, type Socket, Socket as StreamSocket } from 'node:net';

/** A socket as libuv holds it. */
export interface NodeHandle {
  close(done?: () => void): void;
}

/** The handle of a `net.Server`, or what passes for one. */
export interface NodeServerHandle extends NodeHandle {
  /** Returns 0, or the negative error number. */
  listen(backlog: number): number;
  /** Set by the server; takes each new connection. */
  onconnection?: ((errno: number, client: NodeHandle) => void) | undefined;
  getsockname?: ((out: object) => number) | undefined;
  /** Sets the access rights of a Unix socket; returns 0 or the negative error number. */
  fchmod?: (mode: number) => number;
  ref(): void;
  unref(): void;
}

/** The handle of a `dgram.Socket`. */
export interface UdpHandle extends NodeHandle {
  lookup: Lookup;
  bind(ip: string, port: number, flags: number): number;
}

export type Lookup = (host: string, done: (error: Error | null, ip?: string) => void) => void;

/** What Node's `listen` comes down to once it has read its arguments and looked up the host. */
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
  /** Called on the server, not from inside, so that others may wrap it: lib/net.js says so. */
  _listen2: Listen2;
  /** `unref()` was called. */
  _unref?: boolean;
  /** How many connections are open: what `getConnections` answers, but at once. */
  _connections: number;
  /** Of http, https and http2 servers. */
  closeIdleConnections?: () => void;
  /** Of servers that speak TLS. */
  setSecureContext?: unknown;
};

/** A connection that a server has accepted. */
export type ServerSocket = HttpSocket & {
  _server?: NodeServer | null;
  /** The one below, when this speaks TLS. */
  _parent?: Socket | null;
};

/** The HTTP/1 side of a connection; over TLS not the socket that was accepted. */
export type HttpSocket = Socket & {
  /** With the request that it has read last. Null once the connection was upgraded. */
  parser?: { incoming?: { complete: boolean } | null; getAsyncId?(): number } | null;
  /** The response that is being written. */
  _httpMessage?: ServerResponse | null;
};

/** What a response knows before its header is sent. */
export type NodeResponse = ServerResponse & {
  /** Makes `_header` from the app's words. */
  _storeHeader(firstLine: string, headers: unknown): void;
  _header: string;
  /** To end the connection when the response is written. */
  _last: boolean;
  _hasBody: boolean;
  /** The app wants no such header. */
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

/** Flags of libuv for `listen`. */
export const ipv6OnlyFlag = 1;
export const reusePortFlag = 2;

export function stateOf(socket: UdpSocket): UdpState | undefined {
  return hidden(socket, 'state symbol') as UdpState | undefined;
}

/** The connections on which the server speaks HTTP/1; true for those on which no request is arriving. */
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

/** Everything of the process that is connected, by whichever server. */
export function acceptedSockets(): ServerSocket[] {
  const { _getActiveHandles: activeHandles } = process as typeof process & { _getActiveHandles?: () => object[] };
  const all = activeHandles?.call(process) ?? [];
  return all.filter((handle): handle is ServerSocket => '_server' in handle && Boolean(handle._server));
}

/** As much of the WebSocket of package ws as is the same in all its versions. */
export interface WebSocket {
  readyState: number;
  OPEN: number;
  close(code: number): void;
}

export function webSocketOf(socket: Socket): WebSocket | undefined {
  const found = hidden(socket, 'websocket') as Partial<WebSocket> | undefined;
  return typeof found?.close === 'function' ? (found as WebSocket) : undefined;
}

/** How many requests of an http2 session are open. */
export function streamsOf(session: object): number {
  const state = hidden(session, 'state') as { streams?: Map<number, unknown> } | undefined;
  return state?.streams?.size ?? 1;
}

/**
 * The connection of an http2 session, where bytes may be written between its frames: Node passes whole frames on, and
 * the system keeps the order. Undefined over TLS, where Node allows one write at a time, and before its first frame.
 */
export function plainSocketOf(session: object): Socket | undefined {
  const socket = hidden(session, 'socket') as (Socket & { _handle?: WrittenHandle | null }) | undefined;
  const handle = socket?._handle;
  return handle && ['TCP', 'Pipe'].includes(handle.constructor.name) && handle.bytesWritten > 0 ? socket : undefined;
}

interface WrittenHandle {
  /** By Node itself as well. */
  bytesWritten: number;
}

function hidden(of: object, name: string): unknown {
  const symbol = Object.getOwnPropertySymbols(of).find(({ description }) => description === name);
  return symbol && Reflect.get(of, symbol);
}

/** A request to write, as Node makes one for each message. */
export interface IpcWrite {
  oncomplete?: (status: number) => void;
}

/** The pipe below an IPC channel: one that can carry descriptors. */
export interface IpcPipe {
  /** Returns 0, or the negative error number. */
  writeUtf8String(write: IpcWrite, text: string, handle: unknown): number;
  ref(): void;
  unref(): void;
  close(done?: () => void): void;
  /** Bytes that wait to be written. */
  readonly writeQueueSize?: number;
  readStart?(): number;
  /** Without bytes at the end. */
  onread?: (this: IpcPipe, bytes: ArrayBuffer | undefined) => void;
  /** What came beside the bytes. */
  pendingHandle?: unknown;
}

type ChannelPipe = IpcPipe & Required<Pick<IpcPipe, 'onread'>> & { buffering?: boolean };

/** The one of this process; undefined where there is none. */
export function channelPipe(): ChannelPipe | undefined {
  return (hidden(process, 'kChannelHandle') as ChannelPipe | null) ?? undefined;
}

/** Half a message, and a descriptor whose arrival was not acknowledged, will never be whole when the other end has died. */
export function forgetHalf(pipe: ChannelPipe): void {
  for (const symbol of Object.getOwnPropertySymbols(pipe)) {
    if (symbol.description === 'kJSONBuffer') Reflect.set(pipe, symbol, '');
    if (symbol.description === 'kStringDecoder') Reflect.set(pipe, symbol, undefined);
  }
  pipe.buffering = false;
  pipe.pendingHandle = null;
  const { _handleQueue: queue } = process as typeof process & { _handleQueue?: unknown[] | null };
  if (queue) process.emit('internalMessage' as 'message', { cmd: 'NODE_HANDLE_ACK' }, undefined);
}

/** Of libuv: a pipe that can carry descriptors. */
const ipcType = 2;
const { connect } = StreamSocket.prototype;

/** Connects a pipe to a Unix socket, and calls `done` without one where nobody listens. */
export function openIpcPipe(path: string, done: (pipe?: IpcPipe) => void): void {
  const Pipe = channelPipe()?.constructor as (new (type: number) => IpcPipe) | undefined;
  if (!Pipe) return;
  const handle = new Pipe(ipcType);
  // Only this class of Node knows how to connect one.
  const options = { handle, manualStart: true };
  const socket = new StreamSocket(options as ConstructorParameters<typeof StreamSocket>[0]);
  socket.pause();
  socket.unref();
  socket.once('error', () => done());
  socket.once('connect', () => {
    // From here on it is ours.
    Reflect.set(socket, '_handle', null);
    done(handle);
  });
  connect.call(socket, path);
}

/** For a stream over a pipe or a socket; any other is so by itself. */
export function writeAtOnce(stream: object): void {
  const { _handle: handle } = stream as { _handle?: { setBlocking?: (on: boolean) => number } | null };
  handle?.setBlocking?.(true);
}

/** Stands in for `server.closeIdleConnections`, which Node calls in `close` and the app may call itself. */
export function onCloseIdle(server: NodeServer, value: () => void): void {
  Object.defineProperty(server, 'closeIdleConnections', { value, configurable: true, writable: true });
}

/** Calls `closed` when the handle is closed for the first time. */
export function onClose(handle: NodeHandle, closed: () => void): void {
  const close = handle.close;
  handle.close = (done) => {
    handle.close = close;
    closed();
    handle.close(done);
  };
}
