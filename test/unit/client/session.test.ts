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
  it('asks the next one what was not answered, and from then on that one', async () => {
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

  it('does so again when that one hands over too', async () => {
    const others = [failing('HANDED_OVER'), answering({ by: 'the last' })];
    const client = reconnectingClient(failing('HANDED_OVER'), async () => others.shift()!);
    expect(await client.save({})).toEqual({ by: 'the last' });
  });

  it('asks once more what changes nothing when the daemon has died', async () => {
    const client = reconnectingClient(failing('DAEMON_UNREACHABLE'), async () => answering({ by: 'the next' }));
    expect(await client.list({ targets: [] })).toEqual([{ by: 'the next' }]);
  });

  it('asks no third time', async () => {
    const others = [failing('DAEMON_UNREACHABLE'), answering({})];
    const client = reconnectingClient(failing('DAEMON_UNREACHABLE'), async () => others.shift()!);
    await expect(client.list({ targets: [] })).rejects.toMatchObject({ code: 'DAEMON_UNREACHABLE' });
  });

  it('does not repeat what a daemon may have done before it died', async () => {
    const client = reconnectingClient(failing('DAEMON_UNREACHABLE'), async () => answering({}));
    await expect(client.save({})).rejects.toMatchObject({ code: 'DAEMON_UNREACHABLE' });
  });

  it('repeats nothing that failed otherwise', async () => {
    const client = reconnectingClient(failing('INTERNAL'), async () => answering({}));
    await expect(client.save({})).rejects.toMatchObject({ code: 'INTERNAL' });
  });
});
