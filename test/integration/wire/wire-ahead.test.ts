// A first call that was sent before the client existed.
import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { askFirst } from '../../../src/ipc/ahead.ts';
import { type Connection, openConnection } from '../../../src/ipc/client.ts';
import type { Handlers } from '../../../src/ipc/protocol.ts';
import { dial } from '../../../src/os/socket-file.ts';
import { temporaryHomeForEach } from '../../helpers/temporary-home.ts';
import { daemonView, serve } from '../../helpers/wire.ts';

const home = temporaryHomeForEach();
const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

/** What the server was asked, in order. */
async function serving(): Promise<string[]> {
  const asked: string[] = [];
  const answer = <T>(method: string, result: T) => {
    return () => {
      asked.push(method);
      return result;
    };
  };
  const handlers: Partial<Handlers> = { ping: answer('ping', daemonView), list: answer('list', []) };
  const server = await serve(home.paths, { handlers });
  cleanups.push(() => server.close());
  return asked;
}

async function open(prepare: (socket: Socket) => Promise<unknown> = async () => {}): Promise<Connection> {
  const ahead = askFirst(await dial(home.paths.socket, 0), 'list', { targets: [] });
  await prepare(ahead.socket);
  const connection = await openConnection(home.paths, { ahead });
  cleanups.push(() => connection.close());
  return connection;
}

describe('a call that was sent ahead', () => {
  it('is sent once, and answers the first call that is equal', async () => {
    const asked = await serving();
    const { client } = await open();
    expect(await client.list({ targets: [] })).toEqual([]);
    expect(asked).toEqual(['list']);
    expect(await client.list({ targets: [] })).toEqual([]);
    expect(asked).toEqual(['list', 'list']);
  });

  it('does not answer another call', async () => {
    const asked = await serving();
    const { client } = await open();
    expect(await client.ping({})).toEqual(daemonView);
    expect(asked).toEqual(['list', 'ping']);
    expect(await client.list({ targets: [] })).toEqual([]);
    expect(asked).toEqual(['list', 'ping']);
  });

  it('is repeated on a new connection if its own has ended', async () => {
    const asked = await serving();
    const { client } = await open((socket) => {
      return new Promise((resolve) => socket.once('close', resolve).destroy());
    });
    asked.length = 0;
    expect(await client.list({ targets: [] })).toEqual([]);
    expect(asked).toEqual(['list']);
  });
});
