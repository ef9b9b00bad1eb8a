// The command's end of the wire, against the real server and against servers that misbehave.
import { rmSync, writeFileSync } from 'node:fs';
import { createServer as createSocketServer, type Socket, type Server as SocketServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type Connection, type DialOptions, openConnection } from '../../../src/ipc/client.ts';
import { methods } from '../../../src/ipc/protocol.ts';
import type { Server } from '../../../src/ipc/server.ts';
import { listenPrivately } from '../../../src/os/socket-file.ts';
import { failure, NsvError } from '../../../src/shared/errors.ts';
import { protocolVersion } from '../../../src/shared/version.ts';
import { temporaryHomeForEach } from '../../helpers/temporary-home.ts';
import { daemonView, gate, type Scene, serve } from '../../helpers/wire.ts';

const home = temporaryHomeForEach();
const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function open(scene?: Scene): Promise<Connection & { server: Server }> {
  const server = await serve(home.paths, scene);
  cleanups.push(() => server.close());
  return { ...(await join()), server };
}

async function join(options?: DialOptions): Promise<Connection> {
  const connection = await openConnection(home.paths, options);
  cleanups.push(() => connection.close());
  return connection;
}

/** A daemon that does what `meet` does, instead of what it should. */
async function impostor(meet: (socket: Socket) => void): Promise<SocketServer> {
  const sockets: Socket[] = [];
  const server = createSocketServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    meet(socket);
  });
  await listenPrivately(server, home.paths.socket);
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return server;
}

const helloLine = (rest: object = {}) =>
  `${JSON.stringify({ jsonrpc: '2.0', method: 'hello', params: { protocol: protocolVersion, version: '9', pid: 1, ...rest } })}\n`;

async function rejected(promise: Promise<unknown>): Promise<NsvError> {
  const error = await promise.then(
    () => undefined,
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(NsvError);
  return error;
}

describe('a client', () => {
  it('has a function for each method, and the identity of the daemon', async () => {
    const { client, hello } = await open();
    expect(Object.keys(client)).toEqual(Object.keys(methods));
    expect(hello).toEqual({ protocol: protocolVersion, version: '1.2.3', build: 'b1', pid: process.pid });
    expect(await client.ping({})).toEqual(daemonView);
  });

  it('does not compile with a wrong method, parameter or result', async () => {
    const { client } = await open();
    // @ts-expect-error no such method
    void (() => client.stpo({ targets: ['web'] }));
    // @ts-expect-error instances is missing
    void (() => client.scale({ targets: ['web'] }));
    // @ts-expect-error a view of the daemon has no such field
    void (async () => (await client.ping({})).colour);
  });

  it('matches answers to calls, whatever their order', async () => {
    const { opened, open: finish } = gate();
    const { client } = await open({
      handlers: { save: () => opened.then(() => ({ file: 'f', apps: 3, auto: false })) },
    });
    const saved = client.save({});
    expect(await client.ping({})).toEqual(daemonView);
    finish();
    expect(await saved).toEqual({ file: 'f', apps: 3, auto: false });
  });

  it('gets the error of the daemon with all its details', async () => {
    const sent = failure('NOT_READY', { name: 'web', reason: 'it ended' }, { output: ['last', 'lines'] });
    const { client } = await open({ handlers: { stop: () => Promise.reject(sent) } });
    const error = await rejected(client.stop({ targets: ['web'] }));
    expect(error.toJSON()).toEqual(sent.toJSON());
    expect(error.exitCode).toBe(6);
  });

  it('reports what a call waits for', async () => {
    const { client, onProgress } = await open({
      handlers: {
        save: (_params, report) => {
          report('waiting for the disk');
          return { file: 'f', apps: 0, auto: false };
        },
      },
    });
    const received: string[] = [];
    onProgress(({ text }) => received.push(text));
    await client.save({});
    expect(received).toEqual(['waiting for the disk']);
  });

  it('reports what each call waits for separately', async () => {
    const { opened, open: finish } = gate();
    const { client } = await open({
      handlers: {
        save: (_params, report) => {
          report('waiting for the disk');
          return opened.then(() => ({ file: 'f', apps: 0, auto: false }));
        },
        stop: (_params, report) => {
          report('waiting for web');
          finish();
          return [];
        },
      },
    });
    const received: string[] = [];
    const saved = client.save({}, (text) => received.push(`save: ${text}`));
    await client.stop({ targets: [] }, (text) => received.push(`stop: ${text}`));
    await saved;
    expect(received).toEqual(['save: waiting for the disk', 'stop: waiting for web']);
  });

  it('accepts an answer that is longer than a request may be', async () => {
    const { client } = await open({
      handlers: { save: () => ({ file: 'x'.repeat(10_000_000), apps: 0, auto: false }) },
    });
    expect((await client.save({})).file).toHaveLength(10_000_000);
  });

  it('waits beyond its timeout as long as the daemon gives signs of life', { tags: 'full' }, async () => {
    const { opened, open: finish } = gate();
    await open({
      limits: { heartbeat: 100 },
      handlers: { save: () => opened.then(() => ({ file: 'f', apps: 0, auto: false })) },
    });
    const { client, onProgress } = await join({ silence: 1_000 });
    let signs = 0;
    onProgress(() => {
      signs += 1;
      if (signs === 12) finish();
    });
    expect(await client.save({})).toEqual({ file: 'f', apps: 0, auto: false });
  });

  it('does not time out while it has no pending call', { tags: 'full' }, async () => {
    const { opened, open: finish } = gate();
    await open({
      limits: { heartbeat: 100 },
      handlers: { save: () => opened.then(() => ({ file: 'f', apps: 0, auto: false })) },
    });
    const { client } = await join({ silence: 1_000 });
    const other = await join();
    let signs = 0;
    other.onProgress(() => {
      signs += 1;
      if (signs === 15) finish();
    });
    await other.client.save({});
    expect(await client.ping({})).toEqual(daemonView);
  });
});

describe('connecting fails', () => {
  it.each([
    { case: 'there is no socket', before: () => {} },
    { case: 'the socket is stale', before: () => writeFileSync(home.paths.socket, '') },
    { case: 'there is no home', before: () => rmSync(home.paths.home, { recursive: true }) },
  ])('with DAEMON_NOT_RUNNING when $case', async ({ before }) => {
    before();
    const error = await rejected(openConnection(home.paths));
    expect(error.code).toBe('DAEMON_NOT_RUNNING');
    expect(error.message).toContain(home.paths.home);
  });

  it('with DAEMON_NOT_RUNNING when the daemon is just ending', async () => {
    await impostor((socket) => socket.destroy());
    expect((await rejected(openConnection(home.paths))).code).toBe('DAEMON_NOT_RUNNING');
  });

  it('with VERSION_MISMATCH when the daemon speaks another protocol', async () => {
    await impostor((socket) => socket.write(helloLine({ protocol: protocolVersion + 1, version: '77.0.0' })));
    const error = await rejected(openConnection(home.paths));
    expect(error.code).toBe('VERSION_MISMATCH');
    expect(error.message).toContain('77.0.0');
  });

  it('with DAEMON_SILENT when no greeting comes', async () => {
    await impostor(() => {});
    const error = await rejected(openConnection(home.paths, { silence: 50 }));
    expect(error.message).toContain('"hello" was not answered: no sign of life from the daemon for 0.05 s');
  });

  it('with DAEMON_UNREACHABLE when what answers is no daemon', async () => {
    await impostor((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const error = await rejected(openConnection(home.paths));
    expect(error.code).toBe('DAEMON_UNREACHABLE');
    expect(error.message).toContain('does not speak the protocol');
  });
});

describe('a call fails', () => {
  it('with DAEMON_SILENT, naming the method, when the daemon is stopped', async () => {
    await impostor((socket) => socket.write(helloLine()));
    const { client } = await join({ silence: 50 });
    const error = await rejected(client.reload({ parallel: 1, targets: ['web'] }));
    expect(error.message).toContain('"reload" was not answered: no sign of life from the daemon for 0.05 s');
  });

  it('with DAEMON_UNREACHABLE, naming the method, when the daemon dies', async () => {
    await impostor((socket) => {
      socket.write(helloLine());
      socket.once('data', () => socket.destroy());
    });
    const { client } = await join();
    const error = await rejected(client.restart({ targets: ['web'] }));
    expect(error.code).toBe('DAEMON_UNREACHABLE');
    expect(error.message).toContain('"restart"');
    expect((await rejected(client.ping({}))).message).toContain('"ping"');
  });

  it('with HANDED_OVER, because it can be repeated, when the daemon dies before reading it', async () => {
    const sockets: Socket[] = [];
    await impostor((socket) => {
      socket.pause();
      socket.write(helloLine());
      sockets.push(socket);
    });
    const { client } = await join();
    const answer = rejected(client.restart({ targets: ['web'] }));
    // What was asked is in the daemon's socket by now.
    await new Promise((resolve) => setImmediate(resolve));
    sockets[0]!.destroy();
    expect((await answer).code).toBe('HANDED_OVER');
  });

  it('with the message of the daemon when it disconnects the client', async () => {
    const { client } = await open({ limits: { connections: 1 } });
    await (await join()).client.ping({});
    expect((await rejected(client.ping({}))).message).toContain('too many connections');
  });

  it('with INTERNAL and the same message when a newer daemon sends an unknown code', async () => {
    await impostor((socket) => {
      socket.write(helloLine());
      const data = { code: 'MOON_IN_WRONG_PHASE', message: 'cannot see the moon', hint: 'wait' };
      socket.on('data', () =>
        socket.write(
          `${JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32000, message: data.message, data } })}\n`,
        ),
      );
    });
    const { client } = await join();
    const { code, message, hint } = await rejected(client.ping({}));
    expect({ code, message, hint }).toEqual({ code: 'INTERNAL', message: 'cannot see the moon', hint: 'wait' });
  });
});
