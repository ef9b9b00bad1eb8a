// The protocol as anyone may speak it: JSON-RPC 2.0, a message a line.
import { statSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import type { Server } from '../../../src/ipc/server.ts';
import { failure } from '../../../src/shared/errors.ts';
import { protocolVersion } from '../../../src/shared/version.ts';
import { temporaryHomeForEach } from '../../helpers/temporary-home.ts';
import { daemonView, gate, RawClient, type Scene, serve } from '../../helpers/wire.ts';

const home = temporaryHomeForEach();
let server: Server | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function talk(scene?: Scene): Promise<RawClient> {
  server = await serve(home.paths, scene);
  return RawClient.connect(home.paths);
}

const rpc = (rest: object) => ({ jsonrpc: '2.0', ...rest });
const isReply = ({ id, method }: { id?: unknown; method?: string }) => id !== undefined && method === undefined;

describe('the socket', () => {
  it('belongs to its user alone, whatever the umask', async () => {
    const before = process.umask(0);
    try {
      server = await serve(home.paths);
      expect(process.umask()).toBe(0);
    } finally {
      process.umask(before);
    }
    expect(statSync(home.paths.socket).mode & 0o777).toBe(0o600);
  });

  it('is gone when the server is closed', async () => {
    server = await serve(home.paths);
    await server.close();
    expect(statSync(home.paths.socket, { throwIfNoEntry: false })).toBeUndefined();
  });
});

describe('a connection', () => {
  it('begins with a greeting', async () => {
    const client = await talk();
    expect(await client.hears(() => true)).toEqual(
      rpc({ method: 'hello', params: { protocol: protocolVersion, version: '1.2.3', build: 'b1', pid: process.pid } }),
    );
  });

  it('answers a client that has ended its side, as "echo | socat" does', async () => {
    const { opened, open } = gate();
    const client = await talk({ handlers: { save: () => opened.then(() => ({ file: 'f', apps: 1, auto: false })) } });
    client.socket.end(`${JSON.stringify(rpc({ id: 1, method: 'save' }))}\n`);
    await RawClient.connect(home.paths).then((other) => other.ask({ id: 2, method: 'ping' }));
    open();
    expect((await client.hears(isReply)).result).toEqual({ file: 'f', apps: 1, auto: false });
    client.socket.destroy();
  });
});

describe('a request', () => {
  it.each([1, 0, -1.5, 'a', '', null])('is answered under its id %j', async (id) => {
    const client = await talk();
    expect(await client.ask({ id, method: 'ping' })).toEqual(rpc({ id, result: daemonView }));
  });

  it('gets no reply if it has no id', async () => {
    const client = await talk();
    client.send(rpc({ method: 'ping' }));
    client.send(rpc({ method: 'no such method' }));
    await client.ask({ id: 1, method: 'ping' });
    expect(client.messages.filter(isReply)).toHaveLength(1);
  });

  it.each([
    { case: 'no version', sent: { id: 1, method: 'ping' }, code: -32600, id: null },
    { case: 'another version', sent: { jsonrpc: '1.0', id: 1, method: 'ping' }, code: -32600, id: null },
    { case: 'no method', sent: rpc({ id: 1 }), code: -32600, id: null },
    { case: 'an object as id', sent: rpc({ id: {}, method: 'ping' }), code: -32600, id: null },
    { case: 'a text as parameters', sent: rpc({ id: 1, method: 'ping', params: 'x' }), code: -32600, id: null },
    { case: 'a number', sent: 1, code: -32600, id: null },
    { case: 'null', sent: null, code: -32600, id: null },
    { case: 'an empty batch', sent: [], code: -32600, id: null },
    { case: 'an unknown method', sent: rpc({ id: 1, method: 'pong' }), code: -32601, id: 1 },
    { case: 'a method that every object has', sent: rpc({ id: 1, method: 'toString' }), code: -32601, id: 1 },
    { case: 'no parameters where some are due', sent: rpc({ id: 1, method: 'list' }), code: -32602, id: 1 },
    { case: 'wrong parameters', sent: rpc({ id: 1, method: 'list', params: { targets: [1] } }), code: -32602, id: 1 },
    { case: 'parameters by position', sent: rpc({ id: 1, method: 'list', params: [['all']] }), code: -32602, id: 1 },
  ])('gets the error $code for $case, and keeps its connection', async ({ sent, code, id }) => {
    const client = await talk();
    client.send(sent);
    const { id: answered, error } = await client.hears(isReply);
    expect({ id: answered, code: error.code, data: error.data.code }).toEqual({ id, code, data: 'BAD_REQUEST' });
    expect((await client.ask({ id: 'still', method: 'ping' })).result).toEqual(daemonView);
  });

  it('gets the mistakes in an app', async () => {
    const client = await talk();
    const { error } = await client.ask({ id: 1, method: 'launch', params: { app: { name: 'a', colour: 1 } } });
    expect(error).toMatchObject({ code: -32602, data: { code: 'BAD_OPTION' } });
    expect(error.message).toContain('"colour" is not a known setting');
  });

  it('gets the failure of its handler with all its details', async () => {
    const error = failure('NOT_READY', { name: 'web', reason: 'it ended' }, { output: ['last', 'lines'] });
    const client = await talk({ handlers: { reset: () => Promise.reject(error) } });
    const answer = await client.ask({ id: 1, method: 'reset', params: { targets: ['web'] } });
    expect(answer.error).toEqual({ code: -32000, message: error.message, data: error.toJSON() });
  });

  it('gets INTERNAL for a bug, which is passed to onBug', async () => {
    const bugs: unknown[] = [];
    const bug = new RangeError('out of cheese');
    const client = await talk({
      onBug: (error) => bugs.push(error),
      handlers: {
        save: () => {
          throw bug;
        },
      },
    });
    const { error } = await client.ask({ id: 1, method: 'save' });
    expect(error).toMatchObject({ code: -32603, data: { code: 'INTERNAL' } });
    expect(error.message).toContain('out of cheese');
    expect(bugs).toEqual([bug]);
  });
});

describe('a batch', () => {
  it('is answered as one, without its notifications', async () => {
    const client = await talk();
    client.send([rpc({ id: 1, method: 'ping' }), rpc({ method: 'ping' }), 7, rpc({ id: 2, method: 'pong' })]);
    const answer = await client.hears(Array.isArray);
    expect(answer.map(({ id, error }: { id: number; error?: { code: number } }) => [id, error?.code])).toEqual([
      [1, undefined],
      [null, -32600],
      [2, -32601],
    ]);
  });

  it('gets no reply if it holds only notifications', async () => {
    const client = await talk();
    client.send([rpc({ method: 'ping' }), rpc({ method: 'ping' })]);
    await client.ask({ id: 1, method: 'ping' });
    expect(client.messages).toHaveLength(2);
  });

  it('is refused as a whole if it is too long', async () => {
    const client = await talk({ limits: { calls: 2 } });
    client.send([1, 2, 3]);
    expect((await client.hears(isReply)).error.code).toBe(-32600);
  });
});

describe('a pending call', () => {
  it('reports what it waits for, and repeats it while nothing changes', async () => {
    const { opened, open } = gate();
    const client = await talk({
      limits: { heartbeat: 20 },
      handlers: {
        reset: async (_params, report) => {
          report('waiting for web');
          await opened;
          return [];
        },
      },
    });
    client.send(rpc({ id: 'r', method: 'reset', params: { targets: ['web'] } }));
    await client.hears(() => client.messages.filter(({ method }) => method === 'progress').length > 2);
    open();
    await client.hears(isReply);
    const [, ...progress] = client.messages.slice(0, -1);
    for (const item of progress) {
      expect(item).toEqual(rpc({ method: 'progress', params: { id: 'r', text: 'waiting for web' } }));
    }
  });

  it('sends no progress once it is answered', async () => {
    const client = await talk({ limits: { heartbeat: 10 }, handlers: { save: () => new Promise(() => {}) } });
    await client.ask({ id: 'short', method: 'ping' });
    client.send(rpc({ id: 'long', method: 'save' }));
    await client.hears(() => client.messages.filter(({ method }) => method === 'progress').length > 4);
    const spoken = client.messages.flatMap(({ params }) => params?.id ?? []);
    expect(new Set(spoken)).toEqual(new Set(['long']));
    client.socket.destroy();
  });

  it('gives a sign of life even when its handler reports nothing', async () => {
    const client = await talk({ limits: { heartbeat: 10 }, handlers: { save: () => new Promise(() => {}) } });
    client.send(rpc({ id: 5, method: 'save' }));
    expect((await client.hears(({ method }) => method === 'progress')).params).toEqual({ id: 5, text: '' });
    client.socket.destroy();
  });

  it('continues when its client leaves', async () => {
    const started = gate();
    const finish = gate();
    const finished = gate();
    const client = await talk({
      handlers: {
        save: async () => {
          started.open();
          await finish.opened;
          finished.open();
          return { file: 'f', apps: 0, auto: false };
        },
      },
    });
    client.send(rpc({ id: 1, method: 'save' }));
    await started.opened;
    client.socket.destroy();
    await client.closed;
    finish.open();
    await finished.opened;
    const other = await RawClient.connect(home.paths);
    expect((await other.ask({ id: 1, method: 'ping' })).result).toEqual(daemonView);
  });

  it('does not hold up the others on its connection', async () => {
    const client = await talk({ handlers: { save: () => new Promise(() => {}) } });
    client.send(rpc({ id: 1, method: 'save' }));
    expect((await client.ask({ id: 2, method: 'ping' })).result).toEqual(daemonView);
    client.socket.destroy();
  });

  it('is answered although the server is being closed', async () => {
    const { opened, open } = gate();
    const client = await talk({ handlers: { save: () => opened.then(() => ({ file: 'f', apps: 0, auto: false })) } });
    client.send(rpc({ id: 1, method: 'save' }));
    await client.ask({ id: 2, method: 'ping' });
    const closed = server!.close();
    open();
    expect((await client.hears(({ id }) => id === 1)).result).toEqual({ file: 'f', apps: 0, auto: false });
    client.socket.end();
    await closed;
  });

  it('does not block the close of a server for ever', async () => {
    const client = await talk({ limits: { drainTimeout: 20 }, handlers: { save: () => new Promise(() => {}) } });
    client.send(rpc({ id: 1, method: 'save' }));
    await client.ask({ id: 2, method: 'ping' });
    await server!.close();
    await client.closed;
  });
});
