import { once } from 'node:events';
import { constants, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { AppSettings } from '../../../src/config/app-spec.ts';
import { answersOf, ask, bodies, freePort } from '../../helpers/http.ts';
import { socketStage } from '../../helpers/socket-stage.ts';
import { describeVariants } from '../../helpers/variants.ts';

const stage = socketStage();

const ways = ['kernel', 'rr'] as const;

describe('a program that inherits a --listen socket', () => {
  const python: AppSettings = {
    node: false,
    interpreter: '/usr/bin/env',
    interpreterArgs: ['python3'],
    schedule: 'rr',
  };

  it('accepts connections that arrived before it started', async () => {
    const port = await freePort();
    const group = stage.group(python);
    await group.sockets.open([{ port }]);
    const client = connect(port, '127.0.0.1');
    await once(client, 'connect');
    const app = group.start('inherits-socket.py');
    expect(String((await once(client, 'data'))[0])).toBe('hello from python');
    expect(await app.ended).toEqual({ code: 0, signal: null });
    expect(group.sockets.addresses()).toEqual([String(port)]);
  });

  it.each(['a port', 'a path'])('gets it in blocking mode, as from systemd (%s)', async (kind) => {
    const group = stage.group(python);
    await group.sockets.open([kind === 'a port' ? { port: await freePort() } : { path: stage.path('blocking.sock') }]);
    const [socket] = group.sockets.inherited();
    const [, flags] = /flags:\s*([0-7]+)/.exec(readFileSync(`/proc/self/fdinfo/${socket!.fd}`, 'utf8'))!;
    expect(Number.parseInt(flags!, 8) & constants.O_NONBLOCK).toBe(0);
  });

  it('keeps it even if it is unused, until the group is closed', async () => {
    const port = await freePort();
    const group = stage.group(python);
    await group.sockets.open([{ port }]);
    await group.sockets.open([{ port }]);
    expect(group.sockets.closable).toEqual([]);
    expect(group.sockets.inherited()).toHaveLength(1);
    group.sockets.close();
    expect(await ask(port)).toEqual({ ok: false, why: 'ECONNREFUSED' });
  });
});

describeVariants(ways)('a worker in the classic master-worker style, the %s way', (schedule) => {
  it('serves the --listen addresses unchanged, together with others', async () => {
    const [port, second] = [await freePort(), await freePort()];
    const group = stage.group({ schedule });
    await group.sockets.open([{ port }, { host: 'localhost', port: second }]);
    const apps = await group.startAll(2, 'classic-worker.cjs');
    for (const { prints } of apps) await prints(/serves.*\nserves/);
    const pids = new Set(apps.map(({ pid }) => String(pid)));
    for (const target of [port, second]) expect(await answersOf(target, 2)).toEqual(pids);
  });

  it('is replaced by the next one without losing a connection', async () => {
    const port = await freePort();
    const group = stage.group({ schedule });
    await group.sockets.open([{ port }]);
    const [app] = await group.startAll(1, 'classic-worker.cjs');
    app!.signal('SIGKILL');
    await app!.ended;
    const waiting = bodies(port, 5);
    const next = group.start('classic-worker.cjs');
    expect(new Set(await waiting)).toEqual(new Set([String(next.pid)]));
  });

  it('may also listen on the address itself', async () => {
    const port = await freePort();
    const group = stage.group({ schedule });
    await group.sockets.open([{ port }]);
    const [app] = await group.startAll(1, 'listens-and-talks.cjs', [port]);
    await app!.prints(/message server/);
    expect(new Set(await bodies(port, 20))).toEqual(new Set([String(app!.pid)]));
  });
});

describe('--listen', () => {
  it('names the address that is in use, and keeps none of the others', async () => {
    const stranger = createServer().listen(0);
    await once(stranger, 'listening');
    const { port } = stranger.address() as { port: number };
    const group = stage.group();
    await expect(group.sockets.open([{ port: await freePort() }, { port }])).rejects.toMatchObject({
      code: 'CANNOT_LISTEN',
      message: `failed to listen on port ${port}: address already in use`,
    });
    expect(group.sockets.addresses()).toEqual([]);
    stranger.close();
  });

  it.each([
    [{ host: 'no-such-host.invalid', port: 80 }, /failed to listen on no-such-host.invalid:80: getaddrinfo/],
    [{ path: '/no/such/directory/app.sock' }, /failed to listen on \/no\/such\/directory\/app.sock: /],
    [{ host: '203.0.113.1', port: 80 }, /failed to listen on 203.0.113.1:80: address not available/],
  ])('explains what is wrong with %j', async (address, message) => {
    await expect(stage.group().sockets.open([address])).rejects.toThrow(message);
  });
});
