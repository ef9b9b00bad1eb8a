// The TCP ports on which processes listen, whoever has bound them. Only for those in the network of this process, and with /proc.
import { closeSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';
import { endianness } from 'node:os';
import type { IpAddress } from '../address.ts';
import { hasProc } from '../proc.ts';

/** Addresses by the inode of their socket. */
type Listening = ReadonlyMap<string, IpAddress>;

/** The addresses on which any of these processes listens. */
export function listeningOf(pids: readonly number[]): IpAddress[] {
  if (!hasProc || pids.length === 0) return [];
  const sockets = sharedTable();
  const inodes = new Set(pids.flatMap(socketsOf));
  return [...inodes].flatMap((inode) => sockets.get(inode) ?? []);
}

let shared: Listening | undefined;

/** One look for all processes of a list: it is shared within a turn of the event loop. */
function sharedTable(): Listening {
  if (!shared) setImmediate(() => (shared = undefined));
  shared ??= new Map(['tcp', 'tcp6'].flatMap((name) => [...parseListening(listeningRows(`/proc/net/${name}`))]));
  return shared;
}

const chunk = Buffer.allocUnsafe(64 * 1024);

/** The kernel puts sockets that listen before all connections, of which there may be a hundred thousand. */
function listeningRows(file: string): string {
  let fd: number | undefined;
  let rows = '';
  try {
    fd = openSync(file, 'r');
    for (let size = 1; size > 0 && !hasOther(rows); ) {
      size = readSync(fd, chunk);
      rows += chunk.toString('latin1', 0, size);
    }
  } catch {
    // Without IPv6 there is no table of it.
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
  return rows;
}

const listens = '0A';
const row = /^\s*\d+: ([\dA-F]+):([\dA-F]{4}) \S+ ([\dA-F]{2}) \S+ \S+ \S+\s+\d+\s+\d+ (\d+) /gm;

function hasOther(rows: string): boolean {
  return [...rows.matchAll(row)].at(-1)?.[3] !== listens && rows.includes('\n ');
}

/** The rows of /proc/net/tcp or tcp6 (proc_net(5)) that listen. */
export function parseListening(rows: string): Map<string, IpAddress> {
  const found = [...rows.matchAll(row)].filter(([, , , state]) => state === listens);
  return new Map(
    found.map(([, ip = '', port = '', , inode = '']) => {
      const address = { transport: 'tcp', ip: parseIp(ip), port: Number.parseInt(port, 16), ipv6Only: false } as const;
      return [inode, address];
    }),
  );
}

/** The kernel prints words of 32 bits in the order of the machine. */
function parseIp(hex: string): string {
  const words = Buffer.from(hex, 'hex');
  const bytes = endianness() === 'LE' ? words.swap32() : words;
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(at * 2).toString(16));
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

/** The inodes of the sockets of a process; none if it is gone, or belongs to somebody whose files may not be seen. */
function socketsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => inodeOf(`/proc/${pid}/fd/${fd}`) ?? []);
  } catch {
    return [];
  }
}

function inodeOf(link: string): string | undefined {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(link))?.[1];
  } catch {
    return undefined;
  }
}
