// Apps of the frameworks that people use, as their documentation writes them, replaced while clients go on.
import { once } from 'node:events';
import { beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { eventually } from '../../helpers/eventually.ts';
import { ask, freePort } from '../../helpers/http.ts';
import { fixture, homeForEach } from '../../helpers/nsv.ts';
import { Visitors } from '../../helpers/visitors.ts';

const nsv = homeForEach();
let port: number;

beforeEach(async () => {
  port = await freePort();
});

const pids = async () => (await nsv.list()).map(({ pid }) => String(pid));

describe('a reload', () => {
  it.each(['express.mjs', 'fastify.mjs', 'koa.mjs'])(
    'loses no request of a framework: %s',
    { tags: 'full' },
    async (script) => {
      await nsv.ok('start', fixture(script), '-i', '2', '--', String(port));
      // On a busy machine a framework may load for longer than the second after which a process counts as one that never listens.
      await eventually(async () => (await ask(port)).ok);
      const before = await pids();
      const visitors = new Visitors(16, { port });
      await eventually(() => visitors.answers.length > 50);
      await nsv.ok('reload', 'all');
      const after = await pids();
      const reloaded = visitors.answers.length;
      await eventually(() => visitors.answers.length > reloaded + 50);
      expect(await visitors.leave()).toEqual([]);
      expect([...before, ...after]).toEqual(expect.arrayContaining([...new Set(visitors.answers)]));
      expect(before).toEqual(expect.not.arrayContaining(after));
    },
  );

  it('closes the WebSockets of the old process with 1001, and new ones reach the new process', async () => {
    await nsv.ok('start', fixture('websockets.cjs'), '--kill-timeout', '50s', '--', String(port));
    const sockets = Array.from({ length: 4 }, () => new WebSocket(`ws://127.0.0.1:${port}`));
    await Promise.all(sockets.map((socket) => once(socket, 'open')));
    const closed = Promise.all(sockets.map(async (socket) => (await once(socket, 'close'))[0]));
    await nsv.ok('reload', 'all');
    expect(await closed).toEqual([1001, 1001, 1001, 1001]);
    const next = new WebSocket(`ws://127.0.0.1:${port}`);
    await once(next, 'open');
    next.send('pid');
    expect([String((await once(next, 'message'))[0])]).toEqual(await pids());
    next.terminate();
  });
});
