// Addresses of sockets: which of them conflict, and how to print them.
import { isIP, isIPv4, isIPv6 } from 'node:net';

/** Where to bind a server. Host names are already resolved. */
export interface BindAddress {
  kind: 'tcp' | 'pipe' | 'udp4' | 'udp6';
  /** An IP address; absent for "any", which tries :: first and falls back to 0.0.0.0. */
  host?: string;
  port?: number;
  path?: string;
  ipv6Only?: boolean;
  /** In octal digits: the mode of a Unix socket depends on it. Default: 022. */
  umask?: string;
}

/** Of a TCP server. */
export type TcpAddress = Pick<BindAddress, 'host' | 'ipv6Only'> & { port: number };

export type Address = UnixAddress | IpAddress;

export interface UnixAddress {
  transport: 'unix';
  path: string;
}

export interface IpAddress {
  transport: 'tcp' | 'udp';
  ip: string;
  port: number;
  /** True if `::` accepts only IPv6 connections. */
  ipv6Only: boolean;
}

/** The address that a bind would give, with port 0 if the system is to choose one. */
export function addressOf({ kind, host = '::', port = 0, path = '', ipv6Only = false }: BindAddress): Address {
  if (kind === 'pipe') return { transport: 'unix', path };
  return { transport: kind === 'tcp' ? 'tcp' : 'udp', ip: host, port, ipv6Only };
}

/** Whether a client of one address could also reach the other. */
export function overlaps(a: Address, b: Address): boolean {
  if (a.transport === 'unix' || b.transport === 'unix') {
    return a.transport === 'unix' && b.transport === 'unix' && a.path === b.path;
  }
  return a.transport === b.transport && a.port === b.port && (covers(a, b) || covers(b, a));
}

function covers(wide: IpAddress, narrow: IpAddress): boolean {
  const [ip, other] = [unmapped(wide.ip), unmapped(narrow.ip)];
  if (ip === '0.0.0.0') return isIPv4(other);
  if (ip === '::') return isIPv6(other) || !wide.ipv6Only;
  return ip === other;
}

/** Whether the IP address stands for all addresses of the machine. */
export function isAny(ip: string): boolean {
  return ip === '::' || ip === '0.0.0.0';
}

export function sameIp(a: string, b: string): boolean {
  return unmapped(a) === unmapped(b);
}

/** Turns an IPv4-mapped address such as `::ffff:10.0.0.1` into the IPv4 address. */
function unmapped(ip: string): string {
  const inner = /^::ffff:([\d.]+)$/i.exec(ip)?.[1];
  return inner ?? ip;
}

/** `3000` for any address, `127.0.0.1:3000`, `[::1]:3000`, `/run/x.sock`, `udp:5353`. */
export function renderAddress(address: Address): string {
  if (address.transport === 'unix') return address.path.replace('\0', '@');
  const { transport, ip, port } = address;
  return `${transport === 'udp' ? 'udp:' : ''}${host(ip)}${port}`;
}

/** Renders what a worker reports about a socket that Node itself has bound: `<ip>:<port>` or a path. */
export function renderOwn(text: string): string {
  const [, ip = '', port] = /^(.*):(\d+)$/.exec(text) ?? [];
  return isIP(ip) ? `${host(ip)}${port}` : text;
}

function host(ip: string): string {
  if (isAny(ip)) return '';
  return isIPv6(ip) ? `[${ip}]:` : `${ip}:`;
}

/** https://man7.org/linux/man-pages/man7/ip.7.html */
export const privilegedPorts =
  'ports below 1024 are for root, unless the sysctl net.ipv4.ip_unprivileged_port_start is lower';
