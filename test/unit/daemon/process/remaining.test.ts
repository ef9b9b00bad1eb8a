import { describe, expect, it } from 'vitest';
import { describeRemaining } from '../../../../src/daemon/process/remaining.ts';

const signal = 'SIGTERM';

describe('a process that does not exit', () => {
  it.each([
    [{ waitsFor: { Timeout: 1 } }, 'it waits for 1 timer'],
    [
      { waitsFor: { TCPSocketWrap: 1, Timeout: 2, ProcessWrap: 2, NewWrap: 3 } },
      'it waits for 1 TCP socket, 2 timers, 2 child processes, 3 NewWrap',
    ],
    [
      { waitsFor: { Timeout: 1 }, failed: ['127.0.0.1:4318 (ECONNREFUSED)'] },
      'it waits for 1 timer, and cannot connect to 127.0.0.1:4318 (ECONNREFUSED)',
    ],
    [
      { waitsFor: { TCPSocketWrap: 2 }, connected: ['10.0.0.1:5432', '10.0.0.2:6379'], failed: ['db (ENOTFOUND)'] },
      'it waits for 2 TCP sockets, is connected to 10.0.0.1:5432, 10.0.0.2:6379, and cannot connect to db (ENOTFOUND)',
    ],
    [{ waitsFor: {} }, 'Node does not report what it waits for'],
  ])('is described by what it waits for: %j', (remaining, expected) => {
    const described = describeRemaining({ connected: [], failed: [], ...remaining }, signal);
    expect(described).toBe(`has not exited since SIGTERM: ${expected}`);
  });
});
