// Connections that last, among processes that accept by themselves.
import { describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { freePort } from '../../helpers/http.ts';
import { RawClient } from '../../helpers/raw-client.ts';
import { type App, socketStage } from '../../helpers/socket-stage.ts';
import { variants } from '../../helpers/variants.ts';

const stage = socketStage();

type Target = number | string;

/** Opens a connection that stays open. Resolves with the pid of the process that has it. */
async function open(target: Target): Promise<string> {
  const client = await RawClient.open(target);
  client.asks('/');
  const answer = await client.hears(/\r\n\r\n\d+/);
  return answer.split('\r\n\r\n').at(-1)!;
}

/** Opens so many at once, each of which asks again as soon as it has its answer. Resolves with the number of each process. */
async function openAtOnce(target: Target, count: number): Promise<number[]> {
  const clients = await Promise.all(Array.from({ length: count }, () => asking(target)));
  const pids = await Promise.all(clients.map(({ first }) => first));
  for (const { client } of clients) client.leaves();
  const counts = [...new Set(pids)].map((pid) => pids.filter((other) => other === pid).length);
  return counts.toSorted((one, other) => other - one);
}

async function asking(target: Target): Promise<{ client: RawClient; first: Promise<string> }> {
  const client = await RawClient.open(target);
  const answer = async () => {
    client.asks('/');
    const text = await client.hears(/\r\n\r\n\d+$/);
    client.forgets();
    return text.split('\r\n\r\n').at(-1)!;
  };
  const first = answer();
  const goOn = async () => {
    while (client.end === 'open') await answer();
  };
  first.then(goOn).catch(() => {});
  return { client, first };
}

/**
 * Opens connections one by one until the processes have differed by no more than `most` for `times` connections in a row. On a
 * busy machine, some connections go to the process that answers.
 */
async function untilEven(target: Target, apps: readonly App[], most: number, times: number): Promise<void> {
  const counts = new Map(apps.map(({ pid }) => [String(pid), 0]));
  for (let evenly = 0, total = 0; evenly < times; total += 1) {
    const all = [...counts.values()];
    if (total === 600) throw new Error(`after 600 connections, the processes have ${all}`);
    const pid = await open(target);
    counts.set(pid, counts.get(pid)! + 1);
    evenly = Math.max(...counts.values()) - Math.min(...counts.values()) <= most ? evenly + 1 : 0;
  }
}

const places: [string, () => Promise<Target>, isAlone: boolean][] = [
  ['a Unix socket', async () => stage.path('keeps.sock'), false],
  ['a TCP port, by processes that have closed their channel', freePort, true],
];

describe('connections that last', () => {
  it('are spread evenly', async () => {
    const port = await freePort();
    const apps = await stage.group().startAll(4, 'keeps.cjs', [port]);
    await untilEven(port, apps, 3, 24);
  });

  it('are spread evenly right after the start, if they come at once and go on asking', async () => {
    const busiest: number[] = [];
    for (let tries = 0; tries < 4 && !busiest.some((most) => most <= 22); tries += 1) {
      const port = await freePort();
      const apps = await stage.group().startAll(4, 'keeps.cjs', [port]);
      const counts = await openAtOnce(port, 64);
      busiest.push(counts[0]!);
      for (const app of apps) app.signal('SIGKILL');
      await Promise.all(apps.map(({ ended }) => ended));
    }
    expect(Math.min(...busiest), `busiest of four: ${busiest}`).toBeLessThanOrEqual(22);
  });

  variants(places)('move to the process with the fewest on %s', async (_, place, isAlone) => {
    const target = await place();
    const apps = await stage.group().startAll(2, 'keeps.cjs', [target, isAlone]);
    const hasMoved = () => apps.some(({ received }) => received.some(({ type }) => type === 'pass-on'));
    for (let total = 0; !hasMoved(); total += 1) {
      if (total === 200) throw new Error('none of 200 connections has moved');
      await open(target);
    }
  });

  it('go to a process that is new until it has as many', async () => {
    const port = await freePort();
    const group = stage.group();
    const [first] = await group.startAll(1, 'keeps.cjs', [port]);
    for (let count = 0; count < 40; count += 1) expect(await open(port)).toBe(String(first!.pid));
    const next = group.start('keeps.cjs', [port], { slot: 1 });
    await next.listens;
    for (let toNext = 0; toNext < 6; ) toNext = (await open(port)) === String(next.pid) ? toNext + 1 : 0;
  });

  it('leave a probe to the process it is meant for', async () => {
    const port = await freePort();
    const group = stage.group();
    const [first] = await group.startAll(1, 'keeps.cjs', [port]);
    for (let count = 0; count < 40; count += 1) await open(port);
    const next = group.start('keeps.cjs', [port], { slot: 1 });
    await next.listens;
    // From then on, the first may pass connections on.
    await eventually(async () => (await open(port)) === String(next.pid));
    const [server] = group.sockets.probing.serversOf(first!.child, { port, socket: undefined })!;
    for (let count = 0; count < 20; count += 1) {
      const line = await group.sockets.probing.connect(first!.child, server!.key, new AbortController().signal);
      const client = new RawClient(line!.socket);
      client.asks('/', 'Connection: close');
      expect(await client.hears(/\r\n\r\n\d+/)).toMatch(new RegExp(`\r\n\r\n${first!.pid}$`));
    }
  });

  it.each([2, 3])('do not wait for one of %i processes that hangs', async (count) => {
    const port = await freePort();
    const apps = await stage.group().startAll(count, 'keeps.cjs', [port]);
    await untilEven(port, apps, 2, 6);
    apps[0]!.signal('SIGSTOP');
    const pids = await Promise.all(Array.from({ length: 48 }, () => open(port)));
    apps[0]!.signal('SIGCONT');
    expect(pids).not.toContain(String(apps[0]!.pid));
  });

  it('are not offered by a process that has no others', async () => {
    const port = await freePort();
    const group = stage.group();
    const [app, other] = await group.startAll(2, 'keeps.cjs', [port]);
    await untilEven(port, [app!, other!], 2, 4);
    other!.signal('SIGKILL');
    await other!.ended;
    // Heard after the message that says so, which its end has caused.
    expect(await open(port)).toBe(String(app!.pid));
    app!.received.length = 0;
    for (let count = 0; count < 8; count += 1) await open(port);
    expect(app!.received.map(({ type }) => type)).not.toContain('offer');
  });

  it('can be had by the only process that is left', async () => {
    const port = await freePort();
    const app = stage.group().start('keeps.cjs', [port]);
    const { key } = (await app.nextMessage('listening')) as { key: string };
    await open(port);
    app.send({ type: 'count', key });
    expect(await app.nextMessage('counted')).toMatchObject({ key, open: 1 });
  });
});
