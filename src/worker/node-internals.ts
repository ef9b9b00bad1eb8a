// Node internals that the preload uses. They are the same on Node 20 to 26, and only this file and node-processes.ts name
// them.
import { Socket as UdpSocket } from 'node:dgram';
import type { ServerResponse } from 'node:http';
import { Server, type Socket, Socket as StreamSocket } from 'node:net';
import { constants } from 'node:os';
import type { StringDecoder } from 'node:string_decoder';

/** A socket as libuv holds it. */
export interface NodeHandle {
  close(done?: () => void): void;
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

export function stateOf(socket: UdpSocket): UdpState | undefined {
  return hidden(socket, 'state symbol') as UdpState | undefined;
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
  const { _getActiveHandles: activeHandles } = process as typeof process & { _getActiveHandles?: () => object[] };
  const all = activeHandles?.call(process) ?? [];
  return all.filter((handle): handle is ServerSocket => '_server' in handle && Boolean(handle._server));
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

/**
 * The connection of an http2 session, if bytes may be written between its frames: Node writes whole frames, and the
 * system keeps the order. Undefined over TLS, where Node allows only one write at a time, and before the first frame.
 */
export function plainSocketOf(session: object): Socket | undefined {
  const socket = hidden(session, 'socket') as (Socket & { _handle?: WrittenHandle | null }) | undefined;
  const handle = socket?._handle;
  return handle && ['TCP', 'Pipe'].includes(handle.constructor.name) && handle.bytesWritten > 0 ? socket : undefined;
}

interface WrittenHandle {
  /** Includes what Node itself wrote. */
  bytesWritten: number;
}

function hidden(of: object, name: string): unknown {
  const symbol = Object.getOwnPropertySymbols(of).find(({ description }) => description === name);
  return symbol && Reflect.get(of, symbol);
}

/** A write request, as Node creates one for each message. */
export interface IpcWrite {
  oncomplete?: (status: number) => void;
}

/** The pipe under an IPC channel. It can carry descriptors. */
export interface IpcPipe {
  /** Returns 0, or a negative error number. */
  writeUtf8String(write: IpcWrite, text: string, handle: unknown): number;
  ref(): void;
  unref(): void;
  close(done?: () => void): void;
  /** Bytes waiting to be written. */
  readonly writeQueueSize?: number;
  readStart?(): number;
  /** Called without bytes at the end of the stream. */
  onread?: (this: IpcPipe, bytes: ArrayBuffer | undefined) => void;
  /** The handle received along with the bytes. */
  pendingHandle?: unknown;
}

type ChannelPipe = IpcPipe & Required<Pick<IpcPipe, 'onread'>> & { buffering?: boolean };

/** The IPC pipe of this process; undefined if it has none. */
export function channelPipe(): ChannelPipe | undefined {
  return (hidden(process, 'kChannelHandle') as ChannelPipe | null) ?? undefined;
}

/** Drops a partial message and unacknowledged handles, because the dead peer will not complete them. */
export function forgetHalf(pipe: ChannelPipe): void {
  for (const symbol of Object.getOwnPropertySymbols(pipe)) {
    if (symbol.description === 'kJSONBuffer') Reflect.set(pipe, symbol, '');
    if (symbol.description === 'kStringDecoder') Reflect.set(pipe, symbol, undefined);
  }
  pipe.buffering = false;
  pipe.pendingHandle = null;
  acknowledgeHandle();
}

/** Takes over a partial message from Node. */
export function takeHalf(pipe: IpcPipe): { text: string; decoder: StringDecoder | undefined } {
  const half = {
    text: (hidden(pipe, 'kJSONBuffer') as string | undefined) ?? '',
    decoder: hidden(pipe, 'kStringDecoder') as StringDecoder | undefined,
  };
  // Node waits for the end of the message before it disconnects.
  (pipe as ChannelPipe).buffering = false;
  return half;
}

/** Calls `left` when Node closes the channel, before it does. */
export function watchDisconnect(left: () => void): void {
  const host = process as typeof process & { _disconnect?: () => void };
  const { _disconnect: disconnect } = host;
  if (!disconnect) return;
  host._disconnect = () => {
    left();
    disconnect.call(host);
  };
}

/** The class of write requests, which Node keeps to itself. */
export function writeRequestOf(pipe: IpcPipe): (new () => IpcWrite) | undefined {
  const host = process as typeof process & { _send?: (message: object, handle: null, swallowErrors: true) => boolean };
  const { writeUtf8String } = pipe;
  let request: IpcWrite | undefined;
  pipe.writeUtf8String = (write) => {
    request = write;
    return -1;
  };
  try {
    host._send?.({ cmd: 'NODE_HANDLE_ACK' }, null, true);
  } finally {
    pipe.writeUtf8String = writeUtf8String;
  }
  return request?.constructor as (new () => IpcWrite) | undefined;
}

/** Makes Node send what it holds back until the receipt for a handle, if it waits for one. */
export function acknowledgeHandle(): void {
  const { _handleQueue: queue } = process as typeof process & { _handleQueue?: unknown[] | null };
  if (queue) process.emit('internalMessage' as 'message', { cmd: 'NODE_HANDLE_ACK' }, undefined);
}

/** libuv's type of a pipe that can carry descriptors. */
const ipcType = 2;
const { connect } = StreamSocket.prototype;

/** Connects a pipe of the same class to a Unix socket; calls `done` without a pipe if that fails. */
export function openIpcPipe(path: string, like: IpcPipe, done: (pipe?: IpcPipe) => void): void {
  const handle = new (like.constructor as new (type: number) => IpcPipe)(ipcType);
  // Only Node's Socket class can connect a pipe.
  const options = { handle, manualStart: true };
  const socket = new StreamSocket(options as ConstructorParameters<typeof StreamSocket>[0]);
  socket.pause();
  socket.unref();
  socket.once('error', () => done());
  socket.once('connect', () => {
    // Takes the handle from the socket.
    Reflect.set(socket, '_handle', null);
    done(handle);
  });
  connect.call(socket, path);
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
