// The sockets of /proc/net/tcp, tcp6, udp and udp6 that have a port for themselves, proc_net_tcp(5). Pure.
import type { IpAddress } from '../address.ts';

export interface Listener {
  ip: string;
  uid: number;
  inode: number;
}

/** TCP_LISTEN, and of UDP a socket that is not connected. */
const waiting = { tcp: '0A', udp: '07' };

/** Those at the port. `transport` says which file the text is. */
export function listenersIn(text: string, transport: IpAddress['transport'], port: number): Listener[] {
  return text
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [, local = '', , state, , , , uid, , inode] = line.trim().split(/\s+/);
      const [ip = '', hex = ''] = local.split(':');
      if (state !== waiting[transport] || Number.parseInt(hex, 16) !== port) return [];
      return [{ ip: ipOf(ip), uid: Number(uid), inode: Number(inode) }];
    });
}

/** Words of 32 bits, each in the byte order of the machine. All that run Node are little-endian, but for s390x. */
function ipOf(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) => (word.match(/../g) ?? []).reverse());
  if (bytes.length === 4) return bytes.map((byte) => Number.parseInt(byte, 16)).join('.');
  if (bytes.every((byte) => byte === '00')) return '::';
  const mapped = /^0{20}ffff(.{8})$/i.exec(bytes.join(''))?.[1];
  if (mapped !== undefined) return (mapped.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16)).join('.');
  return (bytes.join('').match(/.{4}/g) ?? []).map((group) => Number.parseInt(group, 16).toString(16)).join(':');
}
