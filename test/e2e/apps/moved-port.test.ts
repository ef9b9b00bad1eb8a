// Apps that listen elsewhere than before. The daemon holds the old socket, but nobody accepts on it any more.
import { createSocket } from 'node:dgram';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { eventually, sees } from '../../helpers/eventually.ts';
import { ask, freePort } from '../../helpers/http.ts';
import { homeForEach } from '../../helpers/nsv.ts';
import { PassersBy } from '../../helpers/passers-by.ts';
import { variants } from '../../helpers/variants.ts';
import { Visitors } from '../../helpers/visitors.ts';

const nsv = homeForEach();
let [before, after] = [0, 0];

beforeEach(async () => {
  [before, after] = [await freePort(), await freePort()];
});

const server = "require('node:http').createServer((_, answer) => answer.end('ok'))";
/** Listens wherever a variable says. */
const byVariable = `${server}.listen(process.env.PLACE)`;
/** Listens wherever a file says, of which its settings know nothing. */
const byFile = `${server}.listen(Number(require('node:fs').readFileSync('port', 'utf8')))`;
/** Its primary is up, and counts as ready, long before its worker listens. */
const slowCluster = `
const cluster = require('node:cluster');
if (cluster.isPrimary) cluster.fork();
else setTimeout(() => ${byVariable}, 2000)`;
/** Listens at the address or addresses that a variable says. */
const byAddress = `${server}.listen(...JSON.parse(process.env.PLACE))`;
const datagrams = "require('node:dgram').createSocket('udp4').bind(Number(process.env.PLACE))";

const refused = { ok: false, why: 'ECONNREFUSED' };
const at = (place: number | string) => ({ env: { PLACE: String(place) } });

async function start(source: string, place: number | string, ...options: string[]): Promise<void> {
  const words = ['start', nsv.script('app.cjs', source), '--name', 'web', ...options];
  expect(await nsv.runWith(at(place), ...words)).toMatchObject({ code: 0 });
  await eventually(async () => (await nsv.list('web')).every(({ ports }) => ports.length === 1));
}

async function move(place: number | string, command = 'restart'): Promise<void> {
  expect(await nsv.runWith(at(place), command, 'web', '--update-env')).toMatchObject({ code: 0 });
  await eventually(async () => (await nsv.list('web')).every(({ ports }) => ports[0]?.endsWith(String(place))));
}

const isRefused = async (port: number) => sees('answer', JSON.stringify(await ask(port))) === JSON.stringify(refused);

/** Whether a socket of another program can have the port. */
function isFree(port: number): Promise<boolean> {
  const socket = createSocket('udp4');
  return new Promise((resolve) => {
    socket.on('error', () => socket.close(() => resolve(false)));
    socket.bind(port, () => socket.close(() => resolve(true)));
  });
}

describe('an app that moves to another port', () => {
  const rows: [command: string, options: string[]][] = [
    ['restart', []],
    ['restart', ['-i', '2', '--schedule', 'rr']],
    ['reload', ['-i', '2']],
  ];
  variants(rows)('no longer accepts clients on the old port: %s %j', async (command, options) => {
    await start(byVariable, before, ...options);
    await move(after, command);
    expect(await ask(after)).toEqual({ ok: true, body: 'ok' });
    expect(await ask(before)).toEqual(refused);
  });

  it('can return to the old port', { tags: 'full' }, async () => {
    await start(byVariable, before);
    await move(after);
    await move(before);
    expect(await ask(before)).toEqual({ ok: true, body: 'ok' });
    expect(await ask(after)).toEqual(refused);
  });

  variants([['rr'], ['kernel']])('can move between addresses of the same port: %s', async (schedule) => {
    const [everywhere, here] = [JSON.stringify([before]), JSON.stringify([before, '127.0.0.1'])];
    await start(byAddress, everywhere, '--schedule', schedule);
    for (const place of [here, everywhere]) {
      expect(await nsv.runWith(at(place), 'restart', 'web', '--update-env')).toMatchObject({ code: 0 });
      // Who waited at the old address is cut off when the app asks for the new one.
      await eventually(async () => sees('answer', await ask(before)).ok);
    }
  });

  it('keeps the old port open if --listen names it', { tags: 'full' }, async () => {
    await start(byVariable, before, '--listen', String(before));
    await move(after);
    expect(await ask(before, { timeout: 1_000 })).toEqual({ ok: false, why: 'hung' });
  });
});

describe('an app that has moved', { tags: 'full' }, () => {
  it('leaves no Unix socket behind', async () => {
    const [old, next] = [join(nsv.directory, 'old.sock'), join(nsv.directory, 'next.sock')];
    await start(byVariable, old);
    await move(next);
    expect(await ask(next)).toEqual({ ok: true, body: 'ok' });
    expect(existsSync(old)).toBe(false);
  });

  it('leaves no UDP socket behind', async () => {
    await start(datagrams, before);
    expect(await isFree(before)).toBe(false);
    await move(after);
    expect(await isFree(before)).toBe(true);
  });

  it.each([
    ['a restart', () => nsv.ok('restart', 'web')],
    ['a crash', async () => void process.kill((await nsv.list('web'))[0]!.pid!, 'SIGKILL')],
  ])('refuses clients on the old port after the listen timeout if its settings are unchanged: %s', async (_, end) => {
    nsv.script('port', String(before));
    await start(byFile, 0, '--listen-timeout', '1s');
    nsv.script('port', String(after));
    await end();
    await eventually(async () => (await ask(after)).ok);
    await eventually(() => isRefused(before));
  });
});

it('an app whose port its config file has changed twice is reloaded at once, and keeps its clients waiting', async () => {
  const script = nsv.script('app.cjs', byVariable);
  const ports = [before, after, await freePort()];
  const file = (place: number) =>
    nsv.script(
      'nsv.json',
      JSON.stringify({ apps: [{ name: 'web', script, listen_timeout: '1h', env: { PLACE: `${place}` } }] }),
    );
  await nsv.ok('start', file(ports[0]!));
  for (const [at, port] of ports.slice(1).entries()) {
    await nsv.ok('reload', file(port));
    expect([await ask(port), await ask(ports[at]!)]).toEqual([{ ok: true, body: 'ok' }, refused]);
  }
  const visitors = new PassersBy({ port: ports[2]! });
  await nsv.ok('restart', 'web');
  await eventually(() => visitors.answered > 20);
  expect(await visitors.leave()).toEqual([]);
});

it('an app keeps clients waiting while its only process is restarted', async () => {
  await start(byVariable, before);
  const visitors = new PassersBy({ port: before });
  for (let restarts = 0; restarts < 3; restarts += 1) await nsv.ok('restart', 'web');
  await eventually(() => visitors.answered > 50);
  expect(await visitors.leave()).toEqual([]);
});

it('many apps that are restarted together keep their clients waiting', { tags: 'full' }, async () => {
  const ports = await Promise.all(Array.from({ length: 20 }, freePort));
  const script = nsv.script('app.cjs', byVariable);
  const apps = ports.map((port) => ({ name: `web${port}`, script, env: { PLACE: String(port) } }));
  await nsv.ok('start', nsv.script('many.json', JSON.stringify({ apps })));
  const visitors = ports.map((port) => new PassersBy({ port }, 1));
  await nsv.ok('restart', 'all');
  await eventually(() => visitors.every(({ answered }) => answered > 10));
  expect((await Promise.all(visitors.map((visitor) => visitor.leave()))).flat()).toEqual([]);
});

describe('an app that has not moved', { tags: 'full' }, () => {
  it('keeps clients waiting for a worker of its own cluster that listens after the restart', async () => {
    await start(slowCluster, before);
    await nsv.ok('restart', 'web');
    expect(await ask(before)).toEqual({ ok: true, body: 'ok' });
  });

  it('loses no request of a reload and a restart of one of its processes', async () => {
    await start(byVariable, before, '-i', '2');
    const visitors = new Visitors(16, { port: before });
    await eventually(() => visitors.answers.length > 32);
    await nsv.ok('reload', 'web');
    await nsv.ok('restart', '0');
    expect(await visitors.leave()).toEqual([]);
  });
});
