// Listening sockets that systemd has bound and holds while its socket unit is active: sd_listen_fds(3). An app that
// listens on such an address gets the socket, always with `kernel` scheduling. It is never closed: clients wait in its
// queue while the app is stopped or no daemon is running.
import { existsSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { type Address, type BindAddress, isAny, sameIp } from '../../os/address.ts';
import { type Bound, handleOfFd } from '../../os/sockets/handle.ts';
import { detailOf } from '../../shared/errors.ts';
import type { HeldSocket } from './held-socket.ts';

export interface Given extends Bound {
  /** FileDescriptorName= of the socket unit. */
  name?: string;
}

const firstFd = 3;

/** Returns the sockets that the environment describes. Calls `failed` for each unusable one. */
export function receiveSockets(env: NodeJS.ProcessEnv, failed: (fd: number, detail: string) => void): Given[] {
  // They may have been meant for an ancestor of this process.
  if (Number(env.LISTEN_PID) !== process.pid) return [];
  const names = env.LISTEN_FDNAMES?.split(':') ?? [];
  return Array.from({ length: Number(env.LISTEN_FDS) || 0 }, (_, index) => firstFd + index).flatMap((fd, index) => {
    try {
      return [{ ...handleOfFd(fd), ...(names[index] && { name: names[index] }) }];
    } catch (error) {
      failed(fd, detailOf(error));
      return [];
    }
  });
}

/** Whether a socket with the address can serve as the place. */
export function isFor({ kind, host, port, path }: BindAddress, address: Address): boolean {
  if (address.transport === 'unix' || kind === 'pipe') {
    // If the app has removed the file, clients cannot reach the socket.
    return address.transport === 'unix' && kind === 'pipe' && address.path === path && isThere(path);
  }
  const { transport, ip } = address;
  if (transport !== (kind === 'tcp' ? 'tcp' : 'udp') || address.port !== port) return false;
  if (kind !== 'tcp' && isIPv4(ip) !== (kind === 'udp4')) return false;
  if (host === undefined) return isAny(ip);
  // systemd binds `::` for both families by default.
  return sameIp(host, ip) || (host === '0.0.0.0' && ip === '::');
}

function isThere(path: string): boolean {
  return path.startsWith('\0') || existsSync(path);
}

export function givenSocket({ address, handle, name }: Given): HeldSocket {
  return {
    way: 'handle',
    address,
    name,
    handle: () => handle,
    /** The service manager passes its sockets to the next daemon again. */
    heldHandle: undefined,
    close() {},
  };
}
