// Apps whose servers are in a thread.
import { describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { ask, bodies, freePort } from '../../helpers/http.ts';
import { homeForEach } from '../../helpers/nsv.ts';
import { answer, reloaded, reloadedByNextDaemon, stopped } from '../../helpers/under-way.ts';
import { variants } from '../../helpers/variants.ts';

const nsv = homeForEach();

/** Its thread serves, and is replaced when it ends. */
const app = `
const { isMainThread, threadId, Worker } = require('worker_threads');
const begin = () => new Worker(__filename, { argv: process.argv.slice(2) }).on('exit', begin);
if (isMainThread) begin();
else {
  const handler = ${answer};
  require('http').createServer((request, response) => {
    if (request.url === '/thread') response.end(String(threadId));
    else if (request.url === '/end') response.end('ends', () => process.exit());
    else handler(request, response);
  }).listen(+process.argv[2]);
}
`;

/** A thread of a thread serves. */
const nested = `
const { threadId, Worker } = require('worker_threads');
if (threadId < 2) new Worker(__filename, { argv: process.argv.slice(2) });
else require('http').createServer(${answer}).listen(+process.argv[2]);
`;

/** A thread serves in each worker of the app's own cluster, on a port of its own. */
const inCluster = `
const cluster = require('cluster');
const { isMainThread, Worker } = require('worker_threads');
if (!isMainThread) require('http').createServer(${answer}).listen(+process.argv[2]);
else if (cluster.isPrimary) cluster.fork();
else new Worker(__filename, { argv: process.argv.slice(2) });
`;

async function start(source: string, ...options: string[]): Promise<number> {
  const port = await freePort();
  const script = nsv.script('app.js', source);
  await nsv.ok('start', script, '--name', 'web', ...options, '--', String(port));
  await eventually(async () => (await ask(port)).ok);
  return port;
}

const ways = ['kernel', 'rr'];

describe('an app with its server in a thread', () => {
  variants(ways)('has several instances, and loses no request in a reload with --schedule %s', async (schedule) => {
    const port = await start(app, '-i', '2', '--schedule', schedule);
    const before = (await nsv.list()).map(({ pid }) => String(pid));
    const answers = await reloaded(nsv, port);
    expect(before).not.toContain(answers.at(-1));
    for (const body of await bodies(port, 8)) expect(before).not.toContain(body);
    expect((await nsv.list()).map(({ ports }) => ports)).toEqual([[String(port)], [String(port)]]);
  });

  it.each([
    ['a thread', app],
    ['a thread of a thread', nested],
    ['a thread of a worker of its own cluster', inCluster],
  ])('answers requests in flight in %s when it is stopped', { tags: 'full' }, async (_, source) => {
    await stopped(nsv, await start(source, '--kill-timeout', '60s'));
  });

  it('answers requests in flight before its signal handler ends it', { tags: 'full' }, async () => {
    const handler = `if (require('worker_threads').isMainThread) process.on('SIGTERM', () => process.exit(7));`;
    await stopped(nsv, await start(app + handler, '--kill-timeout', '60s'));
    expect((await nsv.list())[0]?.lastExit).toEqual({ code: 7, signal: null });
  });

  it('can end the thread and serve in another', { tags: 'full' }, async () => {
    const port = await start(app);
    for (const thread of ['1', '2', '3']) {
      await eventually(() => isThread(port, thread));
      await ask(port, { path: '/end' });
    }
    await eventually(() => isThread(port, '4'));
    await reloaded(nsv, port);
  });

  it.each(['kernel', 'rr'])('is reloaded by the next daemon: --schedule %s', { tags: 'full' }, async (schedule) => {
    await reloadedByNextDaemon(nsv, await start(app, '--schedule', schedule));
  });

  it('gets EADDRINUSE for a port that another app has', { tags: 'full' }, async () => {
    const port = await start(app);
    const script = nsv.script('second.js', app);
    const once = ['--max-restarts', '0'];
    expect(await nsv.fails(6, 'start', script, ...once, '--', String(port))).toContain('EADDRINUSE');
  });
});

async function isThread(port: number, thread: string): Promise<boolean> {
  const answered = await ask(port, { path: '/thread' });
  return answered.ok && answered.body === thread;
}
