// The TCP ports on which processes listen, whoever has bound them. Only for those in the network of this process, and with /proc.
import type { IpAddress } from '../address.ts';
import { type Listener, listenersOf } from './listeners.ts';
import { socketsOf } from './sockets-of.ts';

/** The addresses on which any of these processes listens. */
export function listeningOf(pids: readonly number[]): IpAddress[] {
  const inodes = new Set(pids.flatMap(socketsOf));
  return inodes.size === 0 ? [] : sharedTable().flatMap(({ inode, address }) => (inodes.has(inode) ? [address] : []));
}

let shared: Listener[] | undefined;

/** One look for all processes of a list: it is shared within a turn of the event loop. */
function sharedTable(): Listener[] {
  if (!shared) setImmediate(() => (shared = undefined));
  shared ??= listenersOf('tcp');
  return shared;
}
