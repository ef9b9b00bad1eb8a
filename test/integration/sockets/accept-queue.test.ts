// Processes that leave the accept queue of their sockets and come back.
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { ask, bodies, freePort } from '../../helpers/http.ts';
import { acceptedBy, kept } from '../../helpers/raw-client.ts';
import { type App, type Group, socketStage } from '../../helpers/socket-stage.ts';
import { describeVariants } from '../../helpers/variants.ts';

const stage = socketStage();

type Way = 'kernel' | 'rr';
type Target = number | string;

const ways: Way[] = ['kernel', 'rr'];
const places: [Way, string, () => Promise<Target>][] = [
  ...ways.map((way): [Way, string, () => Promise<Target>] => [way, 'a TCP port', freePort]),
  ['kernel', 'a Unix socket', async () => stage.path('aside.sock')],
  ['rr', 'a Unix socket', async () => stage.path('aside.sock')],
];

const start = (schedule: Way, count: number, target: Target): [Group, Promise<App[]>] => {
  const group = stage.group({ schedule });
  return [group, group.startAll(count, 'steps-aside.cjs', [target])];
};

let count = 0;

/** The process has done what it was told. */
async function hasHandledAll({ child, prints }: App): Promise<void> {
  count += 1;
  child.send({ cmd: 'NODE_TEST', count });
  await prints(new RegExp(`told ${count}\\n`));
}

/** Until a client gets to it. */
async function untilIn(target: Target, app: App): Promise<void> {
  await eventually(() => reaches(target, app));
}

describeVariants(places)('a process that leaves the accept queue (%s, %s)', (schedule, _, place) => {
  it('gets no new client until it comes back', async () => {
    const target = await place();
    const [group, started] = start(schedule, 2, target);
    const [app, other] = await started;
    group.sockets.accepting.leave(app!.child, 'test');
    await hasHandledAll(app!);
    expect(new Set(await bodies(target, 100))).toEqual(new Set([String(other!.pid)]));
    group.sockets.accepting.join(app!.child, 'test');
    await untilIn(target, app!);
  });

  it('loses no client, however often it leaves and comes back', { tags: 'full' }, async () => {
    const target = await place();
    const [group, started] = start(schedule, 3, target);
    const apps = await started;
    const { accepting } = group.sockets;
    const failures: string[] = [];
    let turns = 0;
    const client = async () => {
      while (turns < 60) {
        const answer = await ask(target);
        if (!answer.ok) failures.push(answer.why);
      }
    };
    /** Each turn takes as long as some requests do. */
    const toggle = async () => {
      for (; turns < 60; turns += 1) {
        const { child } = apps[turns % 3]!;
        accepting.leave(child, 'test');
        await bodies(target, 4);
        accepting.join(child, 'test');
      }
    };
    await Promise.all([toggle(), ...Array.from({ length: 12 }, client)]);
    expect(failures).toEqual([]);
    for (const app of apps) await untilIn(target, app);
  });

  it('is called back when it would be the last, and leaves again when another one comes', async () => {
    const target = await place();
    const [group, started] = start(schedule, 2, target);
    const [app, other] = await started;
    const { accepting } = group.sockets;
    accepting.leave(app!.child, 'test');
    accepting.leave(other!.child, 'test');
    await hasHandledAll(app!);
    other!.signal('SIGKILL');
    await other!.ended;
    expect(new Set(await bodies(target, 40))).toEqual(new Set([String(app!.pid)]));
    // And leaves again when another one has come.
    const next = group.start('steps-aside.cjs', [target], { slot: 1 });
    await next.listens;
    await hasHandledAll(app!);
    expect(new Set(await bodies(target, 40))).toEqual(new Set([String(next.pid)]));
  });
});

describeVariants(ways)('a process out of the accept queue (%s)', (schedule) => {
  it('sees its server unchanged', async () => {
    const port = await freePort();
    const [group, started] = start(schedule, 2, port);
    const [app] = await started;
    const client = await acceptedBy(app!, port);
    const facts = async () => {
      client.forgets();
      client.asks('/facts');
      return (await client.hears(/\r\n\r\n\{.*\}\}?$/)).split('\r\n\r\n')[1];
    };
    const before = await facts();
    group.sockets.accepting.leave(app!.child, 'test');
    await hasHandledAll(app!);
    const { listeners, ...known } = JSON.parse((await facts())!);
    const { listeners: _, ...knownBefore } = JSON.parse(before!);
    expect(known).toEqual(knownBefore);
    expect(known).toMatchObject({ listening: true, maxConnections: 1_000, address: { port } });
    group.sockets.accepting.join(app!.child, 'test');
    await untilIn(port, app!);
    expect(await facts()).toBe(before);
    client.leaves();
  });

  it('takes no descriptor, and sends no message', async () => {
    const port = await freePort();
    const [group, started] = start(schedule, 2, port);
    const [app] = await started;
    const descriptors = () => readdirSync(`/proc/${app!.pid}/fd`).length;
    await app!.nextMessage('loaded');
    await hasHandledAll(app!);
    const before = descriptors();
    const heardBefore = [...app!.received];
    group.sockets.accepting.leave(app!.child, 'test');
    await hasHandledAll(app!);
    expect(descriptors()).toBe(before);
    group.sockets.accepting.join(app!.child, 'test');
    await hasHandledAll(app!);
    expect(descriptors()).toBe(before);
    expect(app!.received).toEqual(heardBefore);
  });

  it('can close its server as usual', async () => {
    const port = await freePort();
    const [group, started] = start(schedule, 2, port);
    const [app] = await started;
    const client = await acceptedBy(app!, port);
    group.sockets.accepting.leave(app!.child, 'test');
    await hasHandledAll(app!);
    client.asks('/close');
    await client.hears(/undefined/);
    client.leaves();
    expect(await app!.ended).toEqual({ code: 0, signal: null });
    expect(app!.output()).toContain('closed');
  });

  it.each(['/unref', '/ref'])('behaves after "%s" like a process that is in the queue', async (path) => {
    const port = await freePort();
    const [group, started] = start(schedule, 2, port);
    const [app, other] = await started;
    const client = await acceptedBy(app!, port);
    group.sockets.accepting.leave(app!.child, 'test');
    await hasHandledAll(app!);
    for (const each of ['/unref', path]) {
      client.forgets();
      client.asks(each);
      await client.hears(/undefined/);
    }
    client.leaves();
    if (path === '/unref') expect(await app!.ended).toEqual({ code: 0, signal: null });
    else {
      other!.signal('SIGKILL');
      await other!.ended;
      expect(new Set(await bodies(port, 10))).toEqual(new Set([String(app!.pid)]));
    }
  });
});

describe('a process that leaves the accept queue', () => {
  it('stays on an address where no other process listens', async () => {
    const [shared, own] = [await freePort(), await freePort()];
    const group = stage.group();
    const both = group.start('listens-late.cjs', [own, shared, 0]);
    await group.startAll(1, 'web.cjs', [shared]);
    await both.listens;
    await untilIn(shared, both);
    group.sockets.accepting.leave(both.child, 'test');
    while (await reaches(shared, both));
    expect(await ask(own)).toEqual({ ok: true, body: String(both.pid) });
  });

  it('stays outside, and comes back, although it has let others accept for a moment', async () => {
    const port = await freePort();
    const group = stage.group();
    const [app, other] = await group.startAll(2, 'keeps.cjs', [port]);
    for (let turn = 0; turn < 8; turn += 1) {
      const coming = Array.from({ length: 24 }, () => kept(port));
      await Promise.any(coming);
      group.sockets.accepting.leave(app!.child, 'test');
      const clients = await Promise.all(coming);
      await hasLeft(port, app!);
      expect(new Set(await bodies(port, 12))).toEqual(new Set([String(other!.pid)]));
      group.sockets.accepting.join(app!.child, 'test');
      await untilIn(port, app!);
      for (const client of clients) client.leaves();
    }
  });

  it('comes back when the last cause is gone', async () => {
    const port = await freePort();
    const [group, started] = start('kernel', 2, port);
    const [app, other] = await started;
    const { accepting } = group.sockets;
    for (const cause of ['one', 'another']) accepting.leave(app!.child, cause);
    accepting.join(app!.child, 'one');
    await hasHandledAll(app!);
    expect(new Set(await bodies(port, 40))).toEqual(new Set([String(other!.pid)]));
    accepting.join(app!.child, 'another');
    await untilIn(port, app!);
  });
});

async function hasLeft(target: Target, app: App): Promise<void> {
  await eventually(async () => !(await reaches(target, app)));
}

async function reaches(target: Target, { pid }: App): Promise<boolean> {
  return (await bodies(target, 20)).includes(String(pid));
}
