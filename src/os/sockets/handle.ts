// Binds sockets without listening on them.
import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import net from 'node:net';
import { constants } from 'node:os';
import { getSystemErrorMap } from 'node:util';
import { type Address, type BindAddress, type IpAddress, isAny, sameIp } from '../address.ts';
import { hasProc } from '../proc.ts';
import { usualUmask, withUmask } from '../umask.ts';
import { createServerHandle, type Handle, openDescriptor, type ServerHandle, udpHandle } from './node-handles.ts';

export interface Bound<H extends Handle = Handle> {
  handle: H;
  address: Address;
}

/** The address could not be bound: the system refused, or another app holds it. */
export class BindError extends Error {
  readonly errno: number;
  /** `EADDRINUSE`, `EACCES` and so on. */
  readonly code: string;
  /** The app that holds the address, if it is one of this daemon. */
  readonly holder: string | undefined;

  constructor(errno: number, holder?: string) {
    const [code, text] = getSystemErrorMap().get(errno) ?? [`E${-errno}`, 'unknown error'];
    super(holder === undefined ? text : `${text} by the app "${holder}"`);
    this.errno = errno;
    this.holder = holder;
    this.code = code;
  }
}

/** A bind flag of libuv. */
const ipv6Only = 1;

/** Node's default length of the accept queue. */
export const backlog = 511;

/** Binds a TCP, Unix or UDP socket. Throws BindError. */
export function bind(place: BindAddress): Bound {
  if (place.kind === 'tcp' || place.kind === 'pipe') return bindServer(place);
  return bindUdp(place, place.kind);
}

/** Binds a TCP or Unix socket. Throws BindError. */
export function bindServer(place: BindAddress): Bound<ServerHandle> {
  if (place.kind === 'pipe') {
    const path = place.path ?? '';
    const handle = withUmask(place.umask ?? usualUmask, () => created(path, -1, -1));
    return { handle, address: { transport: 'unix', path } };
  }
  if (place.host !== undefined) return bindTcp(place.host, place);
  try {
    return bindTcp('::', place);
  } catch (error) {
    // Node does the same: without IPv6, "any" means 0.0.0.0.
    if (error instanceof BindError && error.code !== 'EADDRINUSE') return bindTcp('0.0.0.0', place);
    throw error;
  }
}

/**
 * Wraps a socket that a previous daemon bound and a process has sent back. Throws BindError, also if it is another
 * socket: of another kind, with another address, or connected. The caller closes the handle then.
 */
export function boundBefore(place: BindAddress, handle: Handle): Bound {
  const { kind, path = '', ipv6Only: only = false } = place;
  if (handle.constructor.name !== handleClasses[kind]) throw new BindError(-constants.errno.EINVAL);
  if (kind === 'pipe') {
    if (hasProc && pathOf(handle.fd) !== path) throw new BindError(-constants.errno.EINVAL);
    return { handle, address: { transport: 'unix', path } };
  }
  const address = addressOf(handle, kind === 'tcp' ? 'tcp' : 'udp', only);
  const isConnected = handle.getpeername?.({}) === 0;
  if (isConnected || !isAt(place, address)) throw new BindError(-constants.errno.EINVAL);
  return { handle, address };
}

const handleClasses: Record<BindAddress['kind'], string> = { tcp: 'TCP', pipe: 'Pipe', udp4: 'UDP', udp6: 'UDP' };

/** Port 0 stands for one that the system has chosen. */
function isAt({ host, port = 0 }: BindAddress, address: IpAddress): boolean {
  const isSamePort = port === 0 ? address.port !== 0 : address.port === port;
  return isSamePort && (host === undefined ? isAny(address.ip) : sameIp(host, address.ip));
}

/** Wraps an inherited descriptor: TCP, Unix or UDP. Throws BindError for any other descriptor. */
export function handleOfFd(fd: number): Bound {
  const handle = openDescriptor(fd);
  if (!handle) return inheritUdp(fd);
  if (handle.getsockname) return named(handle, 'tcp', false);
  return { handle, address: { transport: 'unix', path: pathOf(fd) } };
}

/** Binds again if an app deleted the socket file as stale before it listened: clients could not find the socket. */
export function renewed<H extends Handle>(bound: Bound<H>, again: () => Bound<H>): Bound<H> {
  const { address, handle } = bound;
  if (address.transport !== 'unix' || address.path.startsWith('\0') || existsSync(address.path)) return bound;
  handle.close();
  return again();
}

function bindTcp(ip: string, { port = 0, ipv6Only: only = false }: BindAddress): Bound<ServerHandle> {
  return named(created(ip, port, net.isIPv6(ip) ? 6 : 4, only ? ipv6Only : 0), 'tcp', only);
}

function bindUdp({ host, port = 0, ipv6Only: only = false }: BindAddress, kind: 'udp4' | 'udp6'): Bound {
  const handle = udpHandle(kind);
  const errno = handle.bind(host ?? (kind === 'udp4' ? '0.0.0.0' : '::'), port, only ? ipv6Only : 0);
  if (errno !== 0) fail(handle, errno);
  return named(handle, 'udp', only);
}

function inheritUdp(fd: number): Bound {
  const handle = udpHandle('udp4');
  const errno = handle.open(fd);
  if (errno !== 0) fail(handle, errno);
  return named(handle, 'udp', false);
}

/** Finds the path of a Unix socket that is not connected, which Node does not expose. Throws BindError. */
function pathOf(fd: number): string {
  const [, inode = ''] = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/fd/${fd}`)) ?? [];
  for (const line of readFileSync('/proc/net/unix', 'utf8').split('\n')) {
    const [, state, number, path] = /^(?:\S+ +){5}(\S+) +(\d+) (.+)$/.exec(line) ?? [];
    if (number === inode && path && state === unconnected) return path.replace(/^@/, '\0');
  }
  throw new BindError(-constants.errno.EINVAL);
}

/** SS_UNCONNECTED in /proc/net/unix. A connection has the path of the socket that accepted it. */
const unconnected = '01';

function created(address: string, port: number, type: number, flags = 0): ServerHandle {
  const made = createServerHandle(address, port, type, undefined, flags);
  if (typeof made === 'number') throw new BindError(made);
  return made;
}

/** Adds the address to a handle. libuv reports EADDRINUSE of a TCP socket here, not in bind. */
function named<H extends Handle>(handle: H, transport: 'tcp' | 'udp', only: boolean): Bound<H> {
  try {
    return { handle, address: addressOf(handle, transport, only) };
  } catch (error) {
    handle.close();
    throw error;
  }
}

function addressOf(handle: Handle, transport: 'tcp' | 'udp', only: boolean): IpAddress {
  const out: { address?: string; port?: number } = {};
  const errno = handle.getsockname?.(out) ?? 0;
  if (errno !== 0) throw new BindError(errno);
  return { transport, ip: out.address ?? '', port: out.port ?? 0, ipv6Only: only };
}

function fail(handle: Handle, errno: number): never {
  handle.close();
  throw new BindError(errno);
}
