// Node's private members of sockets and servers. They are the same on Node 20 to 26, and no file of the preload names any
// but those called `node-*.ts`.
import { Socket as UdpSocket } from 'node:dgram';
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
  _unref?: boolean;
  _connections: number;
  /** On http, https and http2 servers. */
  closeIdleConnections?: () => void;
  /** On TLS servers. */
  setSecureContext?: unknown;
};

export interface UdpState {
  handle: UdpHandle | null;
  reuseAddr?: boolean;
  reusePort?: boolean;
  ipv6Only?: boolean;
}

export const serverPrototype = Server.prototype as NodeServer;
export const udpPrototype = UdpSocket.prototype;

/** Null for a server that does not listen, and for one whose socket Node's cluster has taken over. */
export function handleIn(server: NodeServer): NodeServerHandle | null {
  return server._handle;
}

export function setHandle(server: NodeServer, handle: NodeServerHandle | null): void {
  server._handle = handle;
}

/** Whether the app has called `unref()`. */
export function isUnref(server: NodeServer): boolean {
  return Boolean(server._unref);
}

/** Number of open connections, as `getConnections` reports it, but synchronously. */
export function connectionsOf(server: NodeServer): number {
  return server._connections;
}

/** Node's own, whoever replaces it. */
export const listen2 = serverPrototype._listen2;

/** Returns the function that is replaced. */
export function replaceListen2(replacement: Listen2): Listen2 {
  const { _listen2: replaced } = serverPrototype;
  serverPrototype._listen2 = replacement;
  return replaced;
}

/** Copies all properties that Node has set on a handle, except our own `close`. */
export function takeOver({ close: _, ...known }: NodeHandle, handle: NodeHandle): void {
  Object.assign(handle, known);
}

/** Listens on the handle that the server has. */
export function listenOnHandle(server: NodeServer): void {
  server._listen2(null, -1, -1);
}

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

/** Whether the process waits for the system to answer a request of this kind, by Node's names: `FSReqCallback`, `TCPConnectWrap`. */
export function hasRequest(kind: RegExp): boolean {
  return process.getActiveResourcesInfo().some((name) => kind.test(name));
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

/** Calls `closed` when the handle is first closed. */
export function onClose(handle: NodeHandle, closed: () => void): void {
  const close = handle.close;
  handle.close = (done) => {
    handle.close = close;
    closed();
    handle.close(done);
  };
}
