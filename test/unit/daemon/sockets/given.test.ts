import { describe, expect, it } from 'vitest';
import { isFor, receiveSockets } from '../../../../src/daemon/sockets/given.ts';
import type { Address, BindAddress } from '../../../../src/os/address.ts';

const tcp = (ip: string, port = 80): Address => ({ transport: 'tcp', ip, port, ipv6Only: false });
const udp = (ip: string): Address => ({ transport: 'udp', ip, port: 80, ipv6Only: false });

describe('a socket of systemd', () => {
  it.each<[boolean, BindAddress, Address]>([
    [true, { kind: 'tcp', port: 80 }, tcp('::')],
    [true, { kind: 'tcp', port: 80 }, tcp('0.0.0.0')],
    [true, { kind: 'tcp', port: 80, host: '0.0.0.0' }, tcp('::')],
    [true, { kind: 'tcp', port: 80, host: '127.0.0.1' }, tcp('127.0.0.1')],
    [true, { kind: 'tcp', port: 80, host: '::ffff:127.0.0.1' }, tcp('127.0.0.1')],
    [false, { kind: 'tcp', port: 80 }, tcp('127.0.0.1')],
    [false, { kind: 'tcp', port: 80, host: '127.0.0.1' }, tcp('0.0.0.0')],
    [false, { kind: 'tcp', port: 81 }, tcp('::')],
    [false, { kind: 'tcp', port: 80 }, udp('::')],
    [true, { kind: 'udp4', port: 80 }, udp('0.0.0.0')],
    [true, { kind: 'udp6', port: 80 }, udp('::')],
    [false, { kind: 'udp4', port: 80 }, udp('::')],
    [true, { kind: 'pipe', path: '\0app' }, { transport: 'unix', path: '\0app' }],
    [true, { kind: 'pipe', path: '/' }, { transport: 'unix', path: '/' }],
    [false, { kind: 'pipe', path: '/no/such.sock' }, { transport: 'unix', path: '/no/such.sock' }],
    [false, { kind: 'pipe', path: '/' }, tcp('::')],
    [false, { kind: 'tcp', port: 80 }, { transport: 'unix', path: '/' }],
  ])('fits an address or not: %s for %j and %j', (fits, place, address) => {
    expect(isFor(place, address)).toBe(fits);
  });

  it('is ignored if LISTEN_PID names another process', () => {
    const reported: unknown[] = [];
    const env = { LISTEN_FDS: '1', LISTEN_PID: String(process.pid + 1) };
    expect(receiveSockets(env, (...news) => reported.push(news))).toEqual([]);
    expect(reported).toEqual([]);
  });
});
