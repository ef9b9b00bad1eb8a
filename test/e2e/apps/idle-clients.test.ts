// Clients whose connections are idle when a process leaves. Where others serve, a request may be on its way to it.
import { writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { ask, freePort } from '../../helpers/http.ts';
import { homeForEach, isAlive, processesWith } from '../../helpers/nsv.ts';
import { RawClient } from '../../helpers/raw-client.ts';
import { variants } from '../../helpers/variants.ts';

const nsv = homeForEach();
let port: number;

beforeEach(async () => {
  port = await freePort();
});

/** Node keeps idle connections for ten minutes, and so may nsv. */
const endless = ['--kill-timeout', '10m'];
const source = (port: number) => `const server = require('http').createServer((request, response) => {
  if (request.url === '/throw') throw new Error('out of order');
  response.end(String(process.pid));
}).listen(${port});
server.keepAliveTimeout = 600_000;
`;
const app = (more = '') => nsv.script('web.cjs', source(port) + more);
const processes = () => processesWith(`NSV_HOME=${nsv.home}`, 'NSV_APP=web');

/** On a busy machine, it may be up for its minimum uptime before it listens. */
async function start(script: string, ...options: string[]): Promise<void> {
  await nsv.ok('start', script, ...options, ...endless);
  await eventually(async () => (await ask(port)).ok);
  await eventually(async () => (await nsv.list()).every(({ ports }) => ports.length === 1));
}

/** A client that has had an answer, and the pid of the process that has its connection. */
async function idle(): Promise<{ client: RawClient; pid: number }> {
  const client = await RawClient.open(port);
  client.asks('/');
  const [, pid] = /\r\n\r\n(\d+)/.exec(await client.hears(/\r\n\r\n\d+/))!;
  client.forgets();
  return { client, pid: Number(pid) };
}

/** So many that each process has some. */
const idles = () => Promise.all(Array.from({ length: 20 }, idle));

/** It asks once more, and has its answer from the same process, as the last one. */
async function isAnswered({ client, pid }: { client: RawClient; pid: number }): Promise<void> {
  expect(client.end).toBe('open');
  client.asks('/');
  const answer = await client.hears(/\r\n\r\n\d+/);
  expect(answer).toMatch(/^HTTP\/1.1 200[\s\S]*\r\nConnection: close\r\n/);
  expect(answer).toMatch(new RegExp(`\r\n\r\n${pid}$`));
  await eventually(() => !isAlive(pid));
}

describe('a client that is idle', () => {
  variants(['kernel', 'rr'])('is answered after a reload: %s', async (way) => {
    await start(app(), '--schedule', way);
    const left = await idle();
    await nsv.ok('reload', 'web');
    const [view] = await nsv.list();
    expect(view).toMatchObject({ status: 'online', restarts: 0 });
    expect(view!.pid).not.toBe(left.pid);
    expect(await ask(port)).toEqual({ ok: true, body: String(view!.pid) });
    await isAnswered(left);
    await eventually(async () => (await nsv.list())[0]?.lastExit?.signal === 'SIGTERM');
  });

  it('is answered after a reload of an app that exits on the signal', { tags: 'full' }, async () => {
    await start(app(`process.on('SIGTERM', () => process.exit(3));`));
    const left = await idle();
    await nsv.ok('reload', 'web');
    await isAnswered(left);
    await eventually(async () => (await nsv.list())[0]?.lastExit?.code === 3);
  });

  it('is answered after a reload of an app that closes its server on the signal', { tags: 'full' }, async () => {
    await start(app(`process.on('SIGTERM', () => server.close(() => process.exit(3)));`));
    const left = await idle();
    await nsv.ok('reload', 'web');
    await isAnswered(left);
    await eventually(async () => (await nsv.list())[0]?.lastExit?.code === 3);
  });

  it('is answered after a scale down', { tags: 'full' }, async () => {
    // In turn, so that each process has one.
    await start(app(), '--schedule', 'rr', '-i', '2');
    const [, last] = await nsv.list();
    const left = [await idle(), await idle()].find(({ pid }) => pid === last!.pid)!;
    await nsv.ok('scale', 'web', '1');
    expect(await nsv.list()).toHaveLength(1);
    await isAnswered(left);
  });

  it('is answered after another request has crashed the process', { tags: 'full' }, async () => {
    await start(app());
    const left = await idle();
    await ask(port, { path: '/throw' });
    await eventually(async () => {
      const [view] = await nsv.list();
      return view?.status === 'online' && view.restarts === 1;
    });
    await isAnswered(left);
  });

  it('is answered after the process has reached its limit of requests', { tags: 'full' }, async () => {
    await start(app(), '--max-requests', '10');
    const left = await idle();
    await eventually(async () => {
      const answer = await ask(port);
      return answer.ok && answer.body !== String(left.pid);
    });
    // Waits for its turn, until the replacement is done.
    await nsv.ok('scale', 'web', '1');
    await isAnswered(left);
  });

  it('is answered even if the daemon dies after the reload', { tags: 'full' }, async () => {
    await start(app());
    const left = await idle();
    await nsv.ok('reload', 'web');
    await nsv.replaceDaemon();
    await eventually(async () => (await nsv.list())[0]?.status === 'online');
    await isAnswered(left);
  });
});

describe('an app with idle clients', { tags: 'full' }, () => {
  const commands = [['stop', 'web'], ['kill']];

  it.each(commands)('has exited when "%s" returns, even just after a reload', async (...words) => {
    await start(app(), '-i', '2');
    const before = [await idle(), await idle()];
    await nsv.ok('reload', 'web');
    await idle();
    await nsv.ok('reload', 'web');
    await nsv.ok(...words);
    expect(processes()).toEqual([]);
    for (const { client } of before) expect(await client.over()).toBe('ended');
  });

  it('has exited when a stop returns, even just after a scale down', async () => {
    await start(app(), '-i', '3');
    await idles();
    await nsv.ok('scale', 'web', '1');
    await nsv.ok('stop', 'web');
    expect(processes()).toEqual([]);
  });

  it('has exited when a stop returns, even if a new daemon has taken over since the reload', async () => {
    await start(app());
    const { client } = await idle();
    await nsv.ok('reload', 'web');
    await nsv.replaceDaemon();
    await nsv.ok('stop', 'web');
    expect(processes()).toEqual([]);
    expect(await client.over()).toBe('ended');
  });

  it('can be scaled up again while old processes are still leaving', async () => {
    await start(app(), '-i', '2');
    await idles();
    await nsv.ok('scale', 'web', '1');
    await nsv.ok('scale', 'web', '2');
    expect(await nsv.list()).toMatchObject([{ status: 'online' }, { status: 'online' }]);
    await nsv.ok('stop', 'web');
    expect(processes()).toEqual([]);
  });

  it('no longer listens on its old port when a reload to a version with another port returns', async () => {
    await start(app(), '--listen-timeout', '10s');
    const left = await idle();
    const other = await freePort();
    writeFileSync(app(), source(other));
    await nsv.ok('reload', 'web');
    expect(await ask(port)).toEqual({ ok: false, why: 'ECONNREFUSED' });
    expect(await ask(other)).toMatchObject({ ok: true });
    await isAnswered(left);
  });
});
