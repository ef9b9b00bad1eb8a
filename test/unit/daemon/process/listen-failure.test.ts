import { describe, expect, it } from 'vitest';
import { describeListenFailure, listenFailureOf } from '../../../../src/daemon/process/death/listen-failure.ts';
import type { Refusal } from '../../../../src/daemon/sockets/group-sockets.ts';
import { privilegedPorts } from '../../../../src/os/address.ts';

const tcp = (ip: string, port: number) => ({ transport: 'tcp', ip, port, ipv6Only: false }) as const;
const refusal: Refusal = { address: tcp('::', 80), code: 'EADDRINUSE', holder: 'web', at: 1_000 };
const error = (headline: string) => ({ headline });
const inUse = error('Error: listen EADDRINUSE: address already in use :::80');

describe('a process that has ended', () => {
  it.each([
    ['could not listen, by its error and a refusal of the daemon', inUse, refusal, refusal],
    ['could not listen, by its error alone', inUse, undefined, { address: tcp('::', 80), code: 'EADDRINUSE' }],
    [
      'could not listen on one address',
      error('Error: listen EADDRINUSE: address already in use 127.0.0.1:80'),
      undefined,
      { address: tcp('127.0.0.1', 80) },
    ],
    [
      'could not listen with Bun',
      error('Failed to start server. Is port 80 in use?'),
      undefined,
      { address: tcp('::', 80), code: 'EADDRINUSE' },
    ],
    [
      'could not listen on a path',
      error('Error: listen EACCES: permission denied /run/web.sock'),
      undefined,
      { address: { transport: 'unix', path: '/run/web.sock' }, code: 'EACCES' },
    ],
    ['could not listen, by a refusal of the daemon alone', undefined, refusal, refusal],
  ] as const)('%s', (_, printed, refused, found) => {
    expect(listenFailureOf(printed, refused, 1_500)).toMatchObject(found);
  });

  it.each([
    ['another error', error('Error: no database'), refusal, 1_500],
    ['an error of a client', error('Error: connect ECONNREFUSED 127.0.0.1:80'), undefined, 1_500],
    ['nothing at all', undefined, undefined, 1_500],
    ['nothing for long after it was refused', undefined, refusal, 60_000],
  ] as const)('has another reason if it has printed %s', (_, printed, refused, now) => {
    expect(listenFailureOf(printed, refused, now)).toBeUndefined();
  });
});

describe('the reason', () => {
  it.each([
    [tcp('::', 80), 'EADDRINUSE', 'app "web"', 'port 80 is in use by app "web"'],
    [tcp('::', 80), 'EADDRINUSE', undefined, 'port 80 is in use by another program'],
    [tcp('127.0.0.1', 80), 'EADDRINUSE', '"nginx" (pid 8)', 'address 127.0.0.1:80 is in use by "nginx" (pid 8)'],
    [{ transport: 'unix', path: '/s' }, 'EADDRINUSE', 'app "web"', 'socket /s is in use by app "web"'],
    [tcp('::', 80), 'EACCES', undefined, `cannot listen on port 80: permission denied (EACCES); ${privilegedPorts}`],
    [tcp('::', 8080), 'EACCES', undefined, 'cannot listen on port 8080: permission denied (EACCES)'],
    [tcp('10.9.9.9', 80), 'EMFILE', undefined, 'cannot listen on address 10.9.9.9:80: EMFILE'],
  ] as const)('is described in words: %o, %s', (address, code, by, text) => {
    expect(describeListenFailure({ address, code, holder: undefined }, by)).toBe(text);
  });
});
