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

/** The kernel puts TCP sockets that listen before all connections, of which there may be a hundred thousand. */
function readTable(file: string, transport: IpAddress['transport']): string {
  let fd: number | undefined;
  let text = '';
  try {
    fd = openSync(file, 'r');
    for (let size = 1; size > 0 && text.length < largest; ) {
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

interface Table {
  readonly byInode: ReadonlyMap<number, Listener>;
}

/** What was found when the processes of somebody were looked at. */
interface Look {
  /** Undefined if they had no sockets at all, so that it was not read. */
  readonly table: Table | undefined;
  readonly pids: readonly number[];
  /** Of the sockets that they have open, those that listen. */
  readonly inodes: ReadonlySet<number>;
}

const looks = new WeakMap<object, Look>();

/**
 * The TCP addresses on which any of these processes listens, whoever has bound them. Only in the network of this process.
 *
 * To go through the descriptors of a thousand processes takes a tenth of a second, so that is done again only if some of `owner`'s
 * processes are others than at the last call for it, or a socket listens that did not then.
 */
export function listeningOf(pids: readonly number[], owner: object): IpAddress[] {
  const before = looks.get(owner);
  const known = before && isSame(before.pids, pids) ? before : undefined;
  const look = known?.table && !hasMore(sharedTable(), known.table) ? known : lookAt(pids, known !== undefined);
  looks.set(owner, look);
  return [...look.inodes].flatMap((inode) => sharedTable().byInode.get(inode)?.address ?? []);
}

/** The table of the sockets is read for processes that have some, or are asked for again. */
function lookAt(pids: readonly number[], isAgain: boolean): Look {
  const sockets = pids.flatMap(socketsOf);
  const table = sockets.length > 0 || isAgain ? sharedTable() : undefined;
  return { table, pids, inodes: new Set(sockets.filter((inode) => table?.byInode.has(inode))) };
}

function isSame(some: readonly number[], others: readonly number[]): boolean {
  return some.length === others.length && some.every((one, at) => one === others[at]);
}

function hasMore(table: Table, before: Table): boolean {
  return table !== before && [...table.byInode.keys()].some((inode) => !before.byInode.has(inode));
}

let last: Table = { byInode: new Map() };
let isShared = false;

/** One look for all processes of a list: it is shared within a turn of the event loop. */
function sharedTable(): Table {
  if (isShared) return last;
  isShared = true;
  setImmediate(() => (isShared = false));
  const table: Table = { byInode: new Map(listenersOf('tcp').map((listener) => [listener.inode, listener])) };
  // The same object as long as nothing has changed, which is then seen at a glance.
  if (hasMore(table, last) || hasMore(last, table)) last = table;
  return last;
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
