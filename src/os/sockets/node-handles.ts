// Node's private members of sockets and pipes, the same on Node 20 to 26. No other file of nsv's own programs names any, but
// `node-channel.ts`.
//
// `net._createServerHandle` binds without listening, and without a warning. The public `net.BoundSocket` (24.2x) gives its
// handle only to a server that listens at once, which the daemon must not do. `dgram._createSocketHandle` has been
// deprecated since Node 11 (DEP0112), so UDP uses the handle of a new `dgram.Socket`.
import dgram from 'node:dgram';
import net from 'node:net';

/** A bound socket as libuv holds it: one of Node's own handle objects, which `child.send` can pass on. */
export interface Handle {
  /** The file descriptor, or -1 if closed. */
  readonly fd: number;
  close(): void;
  getsockname?(out: { address?: string; port?: number; family?: string }): number;
  /** Returns 0 if the socket is connected. Unix sockets lack this method. */
  getpeername?(out: object): number;
  /** Sets or clears O_NONBLOCK for all processes that share the socket. UDP handles lack this method. */
  setBlocking?(blocking: boolean): number;
}

/** A handle that can listen: TCP or Unix. */
export interface ServerHandle extends Handle {
  /** Returns 0, or a negative error number. */
  listen(backlog: number): number;
  onconnection: ((errno: number, client: Handle) => void) | null;
}

/** The methods return 0, or a negative error number. */
interface UdpHandle extends Handle {
  open(fd: number): number;
  bind(ip: string, port: number, flags: number): number;
}

/** A pipe that can receive handles. */
export interface HandlePipe {
  /** The handle received along with the bytes. */
  pendingHandle: Handle | null;
  /** Called without bytes at the end of the stream. */
  onread(this: HandlePipe, bytes: ArrayBuffer | undefined): void;
  /** Returns 0, or a negative error number. */
  open(fd: number): number;
  readStart(): void;
  close(): void;
}

export interface TcpHandle {
  /** Returns 0, or a negative error number. */
  open(fd: number): number;
  close(): void;
}

type CreateServerHandle = (
  address: string | null,
  port: number | null,
  type: number | null,
  fd?: number,
  flags?: number,
) => ServerHandle | number;

/** Binds, or opens a descriptor. Returns a negative error number if that fails. */
export const createServerHandle = (net as typeof net & { _createServerHandle: CreateServerHandle })._createServerHandle;

/** Undefined if the descriptor is no TCP and no Unix socket. */
export function openDescriptor(fd: number): ServerHandle | undefined {
  const handle = createServerHandle(null, null, null, fd);
  return typeof handle === 'number' ? undefined : handle;
}

/** A new one, not bound yet. */
export function udpHandle(kind: 'udp4' | 'udp6'): UdpHandle {
  return (bySymbol(dgram.createSocket(kind), 'state symbol') as { handle: UdpHandle }).handle;
}

/** libuv's type of a pipe that can carry handles. */
const ipcType = 2;

/** A new one, not open yet. `like`: the descriptor of any Unix socket, as Node gives away its class of pipes only with a handle. */
export function handlePipe(like: number): HandlePipe {
  const handle = openDescriptor(like);
  if (!handle) throw new Error(`descriptor ${like} is not a socket`);
  return new (handle.constructor as new (type: number) => HandlePipe)(ipcType);
}

/** A new one, not open yet. Undefined if no port is free: Node gives away its class of TCP handles only with a handle. */
export function tcpHandle(): TcpHandle | undefined {
  const bound = createServerHandle('127.0.0.1', 0, 4);
  if (typeof bound === 'number') return undefined;
  const TCP = bound.constructor as new (type: number) => TcpHandle;
  bound.close();
  return new TCP(0);
}

/** The handle of a stream or a server. Sent with `child.send`, that of a server does not begin to listen at the other end. */
export function rawHandle(of: object): Handle {
  return (of as { readonly _handle: Handle })._handle;
}

/** Takes the handle that Node has made for a socket, before anything is read from it. */
export function takeHandle(socket: net.Socket): Handle {
  const handle = rawHandle(socket) as Handle & { readStop(): void };
  // libuv opens no pipe on a descriptor that it polls.
  handle.readStop();
  Reflect.set(socket, '_handle', null);
  return handle;
}

/** The value of a property whose key is a symbol of Node's, by the description of the symbol. */
export function bySymbol(of: object, name: string): unknown {
  const symbol = Object.getOwnPropertySymbols(of).find(({ description }) => description === name);
  return symbol && Reflect.get(of, symbol);
}
