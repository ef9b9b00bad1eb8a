import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { HeldAddress } from '../../../src/daemon/sockets/group-sockets.ts';
import { answersOf, ask, bodies, freePort } from '../../helpers/http.ts';
import { type App, socketStage } from '../../helpers/socket-stage.ts';
import { describeVariants } from '../../helpers/variants.ts';

const stage = socketStage();

const ways = ['kernel', 'rr'] as const;
const pidsOf = (apps: { pid: number }[]) => new Set(apps.map(({ pid }) => String(pid)));

describeVariants(ways)('instances that share their sockets the %s way', (schedule) => {
  it('all answer on the port of the app', async () => {
    const port = await freePort();
    const group = stage.group({ schedule });
    const apps = await group.startAll(3, 'web.cjs', [port]);
    expect(await answersOf(port, 3)).toEqual(pidsOf(apps));
    expect(group.sockets.addresses()).toEqual([String(port)]);
    expect(group.sockets.listening.addressesOf(apps[0]!.child)).toEqual([String(port)]);
  });

  it('all answer on the Unix socket of the app', async () => {
    const path = stage.path(`${schedule}.sock`);
    const group = stage.group({ schedule });
    const apps = await group.startAll(2, 'web.cjs', [path]);
    expect(await answersOf(path, 2)).toEqual(pidsOf(apps));
    expect(group.sockets.addresses()).toEqual([path]);
  });

  it('have one port for each "listen(0)", also after a restart', async () => {
    const group = stage.group({ schedule });
    const [app, other] = [group.start('two-ports.mjs'), group.start('two-ports.mjs', [], { slot: 1 })];
    const ports = async ({ prints }: typeof app) =>
      (await prints(/first (\d+)\nsecond (\d+)|second (\d+)\nfirst (\d+)/))[0];
    const shown = await ports(app);
    expect(await ports(other)).toBe(shown);
    app.signal('SIGKILL');
    other.signal('SIGKILL');
    await Promise.all([app.ended, other.ended]);
    expect(await ports(group.start('two-ports.mjs'))).toBe(shown);
    const port = Number(/first (\d+)/.exec(shown!)![1]);
    expect(await ask(port)).toEqual({ ok: true, body: 'first' });
  });

  it('leave connections queued while none of them runs', async () => {
    const port = await freePort();
    const group = stage.group({ schedule });
    const [app] = await group.startAll(1, 'web.cjs', [port]);
    app!.signal('SIGKILL');
    await app!.ended;
    const waiting = bodies(port, 5);
    const next = group.start('web.cjs', [port]);
    expect(new Set(await waiting)).toEqual(new Set([String(next.pid)]));
  });

  it('are replaced in their slot without a connection being refused', async () => {
    const port = await freePort();
    const group = stage.group({ schedule });
    const [old] = await group.startAll(1, 'web.cjs', [port]);
    const next = group.start('web.cjs', [port]);
    await next.listens;
    old!.signal('SIGKILL');
    await old!.ended;
    expect(new Set(await bodies(port, 10))).toEqual(new Set([String(next.pid)]));
  });

  it('pass clients on when one closes its server, and refuse them when the last one does', async () => {
    const port = await freePort();
    const group = stage.group({ schedule });
    const [first, second] = await group.startAll(2, 'closes.cjs', [port]);
    first!.signal('SIGUSR1');
    await first!.prints(/closed/);
    expect(new Set(await bodies(port, 10))).toEqual(new Set([String(second!.pid)]));
    second!.signal('SIGUSR1');
    await second!.prints(/closed/);
    while (group.sockets.addresses().length > 0) await ask(port, { timeout: 100 });
    expect(await ask(port)).toEqual({ ok: false, why: 'ECONNREFUSED' });
  });

  it('refuse clients once the group is closed', async () => {
    const port = await freePort();
    const group = stage.group({ schedule });
    const [app] = await group.startAll(1, 'web.cjs', [port]);
    app!.signal('SIGKILL');
    await app!.ended;
    group.sockets.close();
    expect(await ask(port)).toEqual({ ok: false, why: 'ECONNREFUSED' });
  });

  it('keep a socket that is closed and listened on again before the first answer', async () => {
    const port = await freePort();
    const group = stage.group({ schedule });
    const [app] = await group.startAll(1, 'listens-again.cjs', [port]);
    expect(group.sockets.addresses()).toEqual([String(port)]);
    expect(new Set(await bodies(port, 3))).toEqual(pidsOf([app!]));
  });

  it('can close the sockets that none of them uses', async () => {
    const [kept, left] = [await freePort(), await freePort()];
    const group = stage.group({ schedule });
    const [used] = await group.startAll(1, 'web.cjs', [kept]);
    const old = group.start('web.cjs', [left], { slot: 1 });
    await old.listens;
    old.signal('SIGKILL');
    await old.ended;
    const isUsed = ({ isOf }: HeldAddress) => isOf(used!.child);
    for (const socket of group.sockets.closable) if (!isUsed(socket)) socket.close();
    expect(group.sockets.addresses()).toEqual([String(kept)]);
    expect(await ask(left)).toEqual({ ok: false, why: 'ECONNREFUSED' });
  });

  it('are missing a port on which all the others listen, unless the system chose it or they listen in as many places', async () => {
    const [both, one] = [await freePort(), await freePort()];
    const group = stage.group({ schedule });
    const first = group.start('listens-late.cjs', [both, 0, 0]);
    const second = group.start('listens-late.cjs', [both, one, 0], { slot: 1 });
    const third = group.start('web.cjs', [await freePort()], { slot: 2 });
    await Promise.all([first, second, third].map(({ listens }) => listens));
    const missing = (...others: App[]) =>
      group.sockets.served.missing(
        third.child,
        others.map(({ child }) => child),
      );
    while (missing(first).length + missing(second).length < 3) await ask(both);
    expect([missing(first), missing(second), missing(first, second), missing(), missing(third)]).toEqual([
      [String(both)],
      [String(both), String(one)],
      [],
      [],
      [],
    ]);
  });

  it('are reachable although each removes the socket file before it listens', async () => {
    const path = stage.path(`${schedule}-file.sock`);
    const group = stage.group({ schedule });
    const first = group.start('replaces-file.cjs', [path]);
    await first.listens;
    first.signal('SIGKILL');
    await first.ended;
    const second = group.start('replaces-file.cjs', [path]);
    await second.listens;
    expect(await ask(path)).toEqual({ ok: true, body: String(second.pid) });
  });

  it.each([
    ['the same port', (port: number) => [port]],
    ['the port on one address', (port: number) => [port, '127.0.0.1']],
  ])('keep their port to themselves: another app gets EADDRINUSE for %s', async (_, args) => {
    const port = await freePort();
    const [app] = await stage.group({ schedule }).startAll(1, 'web.cjs', [port]);
    const [, error] = await stage
      .group({ schedule })
      .start('web.cjs', args(port))
      .prints(/error (.*)/);
    expect(JSON.parse(error!)).toMatchObject({ code: 'EADDRINUSE', syscall: 'listen', port });
    expect(new Set(await bodies(port, 10))).toEqual(pidsOf([app!]));
  });

  it('get EADDRINUSE on a port of another program', async () => {
    const stranger = createServer().listen(0);
    await once(stranger, 'listening');
    const { port } = stranger.address() as { port: number };
    const [, error] = await stage
      .group({ schedule })
      .start('web.cjs', [port])
      .prints(/error (.*)/);
    expect(JSON.parse(error!).message).toBe(`listen EADDRINUSE: address already in use :::${port}`);
    stranger.close();
  });
});

describe('sockets of two groups', () => {
  it('may have one port on different addresses', async () => {
    const port = await freePort();
    await stage.group().startAll(1, 'web.cjs', [port, '127.0.0.1']);
    const group = stage.group();
    await group.startAll(1, 'web.cjs', [port, '::1']);
    expect(group.sockets.addresses()).toEqual([`[::1]:${port}`]);
  });

  it('cannot overlap, even if no process listens on the first one yet', async () => {
    const port = await freePort();
    const group = stage.group();
    await group.sockets.open([{ port }]);
    const opening = stage.group().sockets.open([{ host: '127.0.0.1', port }]);
    await expect(opening).rejects.toMatchObject({
      code: 'CANNOT_LISTEN',
      message: expect.stringMatching(/in use by the app "app\d+"/),
    });
  });
});

describe('a socket that Node makes in the app itself', () => {
  it('is known by its address, and counts as listening', async () => {
    const port = await freePort();
    const group = stage.group();
    const app = group.start('web.cjs', [{ port, host: '127.0.0.1', exclusive: true }]);
    await app.listens;
    expect(group.sockets.listening.addressesOf(app.child)).toEqual([`127.0.0.1:${port}`]);
    expect(group.sockets.addresses()).toEqual([]);
  });
});
