// The sockets that have a port for themselves, from /proc/net/tcp, tcp6, udp and udp6 (proc_net_tcp(5)), and those that a process has
// open.
import { closeSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';
import { endianness } from 'node:os';
import type { IpAddress } from '../address.ts';
import { hasProc } from '../proc.ts';

export interface Listener {
  address: IpAddress;
  uid: number;
  inode: number;
}

/** All in the network of a process, by default of this one, whoever has opened them. None without /proc. */
export function listenersOf(transport: IpAddress['transport'], pid: number | 'self' = 'self'): Listener[] {
  const tables = hasProc ? [transport, `${transport}6`] : [];
  return tables.flatMap((name) => listenersIn(readTable(`/proc/${pid}/net/${name}`, transport), transport));
}

/** TCP_LISTEN, and of UDP a socket that is not connected. */
const waiting = { tcp: '0A', udp: '07' };
const row = /^\s*\d+: ([\dA-F]+):([\dA-F]{4}) \S+ ([\dA-F]{2}) \S+ \S+ \S+\s+(\d+)\s+\d+ (\d+) /gm;

/** `transport` says which table the text is. */
export function listenersIn(text: string, transport: IpAddress['transport']): Listener[] {
  return [...text.matchAll(row)].flatMap(([, ip = '', port = '', state, uid, inode]) => {
    if (state !== waiting[transport]) return [];
    const address = { transport, ip: ipOf(ip), port: Number.parseInt(port, 16), ipv6Only: false };
    return [{ address, uid: Number(uid), inode: Number(inode) }];
  });
}

/** Words of 32 bits in the byte order of the machine. */
function ipOf(hex: string): string {
  const words = Buffer.from(hex, 'hex');
  const bytes = endianness() === 'LE' ? words.swap32() : words;
  if (bytes.length === 4) return bytes.join('.');
  const isMapped = bytes.readUInt16BE(10) === 0xffff && bytes.subarray(0, 10).every((byte) => byte === 0);
  if (isMapped) return bytes.subarray(12).join('.');
  const groups = Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(at * 2).toString(16));
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

function hasConnection(text: string): boolean {
  const [, , , last = waiting.tcp] = [...text.matchAll(row)].at(-1) ?? [];
  return last !== waiting.tcp;
}

/** Bytes of a table of UDP sockets. */
const largest = 4 * 1024 * 1024;
const chunk = Buffer.allocUnsafe(64 * 1024);
/** The kernel fills pages of at least 4,096 bytes with whole rows (seq_file), which have less than 256. A page with room was the last. */
const fullPage = 4096 - 256;

/**
 * The kernel puts TCP sockets that listen before all connections, of which there may be a hundred thousand. It looks for the next
 * connection in a hash table that grows with the memory of the machine: with 24 GB, each read takes 2 ms even if there is none.
 */
function readTable(file: string, transport: IpAddress['transport']): string {
  let fd: number | undefined;
  let text = '';
  try {
    fd = openSync(file, 'r');
    for (let size = fullPage; size >= fullPage && text.length < largest; ) {
      size = readSync(fd, chunk);
      text += chunk.toString('latin1', 0, size);
      if (transport === 'tcp' && hasConnection(text)) break;
    }
  } catch {
    // Without IPv6 there is no table of it.
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
  return text;
}

/** The inodes of the sockets that a process has open. None if the process is gone, or belongs to somebody whose files may not be seen. */
export function socketsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => inodeOf(`/proc/${pid}/fd/${fd}`) ?? []);
  } catch {
    return [];
  }
}

function inodeOf(link: string): number | undefined {
  try {
    const inode = /^socket:\[(\d+)\]$/.exec(readlinkSync(link))?.[1];
    return inode === undefined ? undefined : Number(inode);
  } catch {
    return undefined;
  }
}
