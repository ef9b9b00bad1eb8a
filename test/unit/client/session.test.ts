import { describe, expect, it } from 'vitest';
import { reconnectingClient } from '../../../src/client/session.ts';
import type { Client } from '../../../src/ipc/protocol.ts';
import { failure } from '../../../src/shared/errors.ts';

const answering = (answer: object) => ({ save: async () => answer, list: async () => [answer] }) as unknown as Client;
const failures = {
  HANDED_OVER: failure('HANDED_OVER', {}),
  INTERNAL: failure('INTERNAL', { detail: '' }),
  DAEMON_UNREACHABLE: failure('DAEMON_UNREACHABLE', { socket: '/daemon.sock', detail: 'it has died' }),
};
const failing = (code: keyof typeof failures) => {
  const fail = async () => {
    throw failures[code];
  };
  return { save: fail, list: fail } as unknown as Client;
};

describe('a client whose daemon hands over', () => {
  it('repeats unanswered requests to the next daemon, and stays with it', async () => {
    let reached = 0;
    const client = reconnectingClient(failing('HANDED_OVER'), async () => {
      reached += 1;
      return answering({ by: 'the next' });
    });
    expect(await Promise.all([client.save({}), client.list({ targets: [] })])).toEqual([
      { by: 'the next' },
      [{ by: 'the next' }],
    ]);
    expect(await client.save({})).toEqual({ by: 'the next' });
    expect(reached).toBe(1);
  });

  it('follows several hand-overs', async () => {
    const others = [failing('HANDED_OVER'), answering({ by: 'the last' })];
    const client = reconnectingClient(failing('HANDED_OVER'), async () => others.shift()!);
    expect(await client.save({})).toEqual({ by: 'the last' });
  });

  it('repeats a request that changes nothing if the daemon dies', async () => {
    const client = reconnectingClient(failing('DAEMON_UNREACHABLE'), async () => answering({ by: 'the next' }));
    expect(await client.list({ targets: [] })).toEqual([{ by: 'the next' }]);
  });

  it('does not try a third time', async () => {
    const others = [failing('DAEMON_UNREACHABLE'), answering({})];
    const client = reconnectingClient(failing('DAEMON_UNREACHABLE'), async () => others.shift()!);
    await expect(client.list({ targets: [] })).rejects.toMatchObject({ code: 'DAEMON_UNREACHABLE' });
  });

  it('does not repeat a change that a daemon may have made before it died', async () => {
    const client = reconnectingClient(failing('DAEMON_UNREACHABLE'), async () => answering({}));
    await expect(client.save({})).rejects.toMatchObject({ code: 'DAEMON_UNREACHABLE' });
  });

  it('does not repeat a request that failed for another reason', async () => {
    const client = reconnectingClient(failing('INTERNAL'), async () => answering({}));
    await expect(client.save({})).rejects.toMatchObject({ code: 'INTERNAL' });
  });
});
