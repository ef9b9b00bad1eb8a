// What a group says of an address, and what a new process is told of its ports.
import { describe, expect, it } from 'vitest';
import type { AppSpec } from '../../../../src/config/app-spec.ts';
import type { Child } from '../../../../src/daemon/launch/launcher.ts';
import { holdingAt, listeningPortsOf, sharedBy } from '../../../../src/daemon/sockets/holding.ts';

const [owner, other] = [{ pid: 1 }, { pid: 2 }] as Child[];
const members = new Set<Child | undefined>();
const entry = (key: string, ip: string, port: number) =>
  ({ key, members, socket: { address: { transport: 'tcp', ip, port, ipv6Only: false } } }) as const;

const entries = [
  entry('any', '::', 3000),
  entry('loopback', '127.0.0.1', 3001),
  { ...entry('own', '127.0.0.1', 3003), members: new Set([owner]) },
  { key: 'path', members, socket: { address: { transport: 'unix', path: '/run/web.sock' } } } as const,
];

describe('an address', () => {
  it.each([
    ['127.0.0.1', 3000, 'served'],
    ['::1', 3000, 'served'],
    ['0.0.0.0', 3000, 'served'],
    ['127.0.0.1', 3001, 'idle'],
    ['0.0.0.0', 3001, 'idle'],
    ['::', 3001, 'idle'],
    ['::1', 3001, 'nobody'],
    ['127.0.0.1', 3002, 'nobody'],
    ['127.0.0.1', 3003, 'idle'],
  ])('is held by the group or not: %s:%d is %s', (ip, port, expected) => {
    const listening = { isServed: (key: string) => key === 'any' };
    const use = holdingAt(entries, { kind: 'tcp', host: ip, port }, other!, listening);
    expect(use).toEqual({ holding: expected, isOwn: false });
  });
});

it('an address is served for a process that has a socket there, and is about to listen', () => {
  const place = { kind: 'tcp', host: '127.0.0.1', port: 3003 } as const;
  expect(holdingAt(entries, place, owner!, { isServed: () => false })).toEqual({ holding: 'served', isOwn: true });
});

describe('a process', () => {
  const inherited = () => [{ fd: 3 }];
  it.each([
    ['alone, and the first', { node: true, instances: 1 }, [], { sockets: [] }],
    ['one of several', { node: true, instances: 2 }, [], { sockets: [], heldPorts: [] }],
    ['not the first', { node: true, instances: 1 }, [3000], { sockets: [], heldPorts: [3000] }],
    ['to say when it is ready', { node: true, instances: 1, waitReady: true }, [], { sockets: [], heldPorts: [] }],
    ['no Node program', { node: false, instances: 2 }, [3000], { sockets: [{ fd: 3 }] }],
  ])('receives sockets and ports: %s', (_, spec, ports, expected) => {
    expect(sharedBy(spec as AppSpec, { ports, inherited })).toEqual(expected);
  });

  it('receives each port once, and none for a path', () => {
    expect(listeningPortsOf([...entries, entry('other', '::1', 3001)])).toEqual([3000, 3001, 3003]);
  });
});
