// The inner parts of Node that the preload touches: the same on Node 20 to 26, and named here only.
import { Socket as UdpSocket } from 'node:dgram';
import { Server } from 'node:net';

/** A socket as libuv holds it. */
export interface NodeHandle {
  close(done?: () => void): void;
}

/** The handle of a `net.Server`, or what passes for one. */
export interface ServerHandle extends NodeHandle {
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
  _handle: ServerHandle | null;
  /** Called on the server, not from inside, so that others may wrap it: lib/net.js says so. */
  _listen2: Listen2;
  /** `unref()` was called. */
  _unref?: boolean;
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
  const symbol = Object.getOwnPropertySymbols(socket).find(({ description }) => description === 'state symbol');
  return symbol && Reflect.get(socket, symbol);
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
