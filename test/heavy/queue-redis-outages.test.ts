// The store in Redis, when Redis is gone for a while, and when it wants a password.
import { setTimeout as after } from 'node:timers/promises';
import { inspect } from 'node:util';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Store } from '../../queue/index.cjs';
import { createQueue, redisStore } from '../../src/queue/index.ts';
import { eventually } from '../helpers/eventually.ts';
import { hasRedis, RedisServer } from '../helpers/redis.ts';
import { add, claimed, how } from '../integration/queue/on-a-store.ts';

if (!hasRedis) console.log('no tests of the store in Redis: redis-server is not installed');

async function started(...options: string[]): Promise<RedisServer> {
  const server = await RedisServer.start(...options);
  onTestFinished(() => server.remove());
  return server;
}

function opened(connection: string | object): Store {
  const store = redisStore({ connection });
  onTestFinished(() => store.close());
  return store;
}

function worked(call: Promise<unknown>): Promise<boolean> {
  return call.then(
    () => true,
    () => false,
  );
}

describe.skipIf(!hasRedis)('the store in Redis during an outage', () => {
  it('rejects calls with the address, and recovers when Redis is back', async () => {
    const server = await started();
    const store = opened(server.url);
    await add(store, 'a');
    await server.stop();
    const error = await add(store, 'b').catch((problem) => problem);
    expect(error).toMatchObject({ code: 'NSV_STORE', cause: expect.any(Error) });
    expect(error.message).toMatch(`the store in Redis at 127.0.0.1:${server.port} failed: connect ECONNREFUSED`);
    await server.start();
    await eventually(() => worked(add(store, 'c')), 'tasks can be added again');
    expect((await store.list('q', 'pending', 10)).map(({ id }) => id)).toEqual(['a', 'c']);
  });

  it('tells of changes once Redis is there, if it was not at the beginning', async () => {
    const server = await started();
    await server.stop();
    const store = opened(server.url);
    let calls = 0;
    onTestFinished(
      store.watch!('q', () => {
        calls += 1;
      }),
    );
    await expect(add(store, 'a')).rejects.toMatchObject({ code: 'NSV_STORE' });
    await server.start();
    await eventually(() => worked(add(store, 'b')), 'tasks can be added');
    await eventually(() => calls > 0, 'a change is told');
    const before = calls;
    await add(store, 'c');
    await eventually(() => calls > before, 'each change is told');
  });

  it('tells of changes again after its connection was closed while nobody listened', async () => {
    const server = await started();
    const store = opened(server.url);
    let calls = 0;
    const listen = () =>
      store.watch!('q', () => {
        calls += 1;
      });
    const end = listen();
    await eventually(() => calls > 0, 'it listens');
    end();
    const admin = new Redis(server.url);
    onTestFinished(() => admin.disconnect());
    const lines = async () => ((await admin.call('CLIENT', 'LIST')) as string).split('\n');
    const idle = async () => (await lines()).find((line) => line.includes('cmd=unsubscribe'));
    const [, id] = /^id=(\d+)/.exec(await eventually(idle, 'it listens no more'))!;
    await admin.call('CLIENT', 'KILL', 'ID', id!);
    await eventually(async () => !(await idle()), 'the connection is closed');
    await add(store, 'a');
    const before = calls;
    onTestFinished(listen());
    await eventually(() => calls > before, 'it listens again');
    const again = calls;
    await add(store, 'b');
    await eventually(() => calls > again, 'a change is told');
  });

  it('renews and ends what runs while the memory of Redis is full', async () => {
    const server = await started('--maxmemory-policy', 'noeviction');
    const store = opened(server.url);
    await add(store, 'a');
    const { claim } = await claimed(store);
    const admin = new Redis(server.url);
    onTestFinished(() => admin.disconnect());
    await admin.config('SET', 'maxmemory', '1mb');
    await expect(add(store, 'b')).rejects.toMatchObject({
      code: 'NSV_STORE',
      message: expect.stringContaining('its memory is full (maxmemory)'),
    });
    const [before] = await store.renew('q', []);
    const [renewed] = await store.renew('q', [claim]);
    expect(renewed!.beat).not.toBe(before!.beat);
    await store.pause('q', true);
    expect(await store.finish(claim, { state: 'completed', result: '1' })).toBe(true);
  });

  it('can be opened before Redis is back', async () => {
    const server = await started();
    await server.stop();
    const store = opened(server.url);
    await expect(add(store, 'a')).rejects.toMatchObject({ code: 'NSV_STORE' });
    await server.start();
    await eventually(() => worked(add(store, 'a')), 'tasks can be added');
  });

  it('rejects calls that Redis does not answer', async () => {
    const server = await started();
    const store = opened({ url: server.url, commandTimeout: 500 });
    await eventually(() => worked(add(store, 'a')), 'a task is added');
    server.freeze(true);
    await expect(add(store, 'b')).rejects.toMatchObject({ code: 'NSV_STORE', message: /Command timed out/ });
    server.freeze(false);
    await eventually(() => worked(add(store, 'c')), 'tasks can be added again');
  });

  it('keeps a task whose claim got no answer', async () => {
    const server = await started();
    const store = opened({ url: server.url, commandTimeout: 500 });
    await eventually(() => worked(add(store, 'a')), 'a task is added');
    server.freeze(true);
    await expect(store.claim('q', how)).rejects.toMatchObject({ code: 'NSV_STORE' });
    server.freeze(false);
    // It may have come through, and be claimed by nobody: then it is one that is not renewed.
    const running = await eventually(() => store.renew('q', []).catch(() => undefined), 'Redis answers again');
    const waiting = await store.list('q', 'pending', 10);
    expect([...running, ...waiting]).toMatchObject([{ id: 'a' }]);
    expect(await store.release('q', running)).toBe(running.length);
    expect((await claimed(store)).task).toMatchObject({ id: 'a', failures: 0, deaths: running.length });
  });

  it('loses no task of a queue', async () => {
    const server = await started();
    const store = redisStore({ connection: server.url });
    const queue = createQueue<number, number>('q', { store, concurrency: 5, backoff: { delay: 1 } });
    onTestFinished(() => queue.close());
    const done = new Set<number>();
    queue.process(async ({ data }) => {
      await after(5);
      done.add(data);
      return data;
    });
    const added: string[] = [];
    const adding = (async () => {
      for (let n = 0; n < 300; n += 1) {
        const id = `task-${n}`;
        await eventually(() => worked(queue.add(n, { id })), `${id} is added`);
        added.push(id);
      }
    })();
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const size = added.length;
      await eventually(() => added.length > size + 50, 'some tasks are added');
      await server.stop(signal);
      await server.start();
    }
    await adding;
    expect(await Promise.all(added.map((id) => queue.waitFor(id)))).toEqual(added.map((_, n) => n));
    expect(done.size).toBe(300);
    expect(await queue.counts()).toMatchObject({ pending: 0, running: 0, failed: 0, completed: 300 });
  });
});

describe.skipIf(!hasRedis)('a Redis that requires a password', () => {
  it('accepts the right one', async () => {
    const server = await started('--requirepass', 'right-secret');
    const store = opened({ port: server.port, password: 'right-secret' });
    await add(store, 'a');
    expect(await store.counts('q')).toMatchObject({ pending: 1 });
  });

  it.each([
    ['rejects a wrong one', 'wrong-secret', /rejects the user name or the password; check them in "connection"/],
    ['reports a missing one', '', /wants a password; set it in "connection"/],
  ])('%s', async (_what, password, message) => {
    const server = await started('--requirepass', 'right-secret');
    const connection = password ? `redis://:${password}@127.0.0.1:${server.port}` : server.url;
    const error = await add(opened(connection), 'a').catch((problem) => problem);
    expect(error).toMatchObject({ code: 'NSV_STORE', message: expect.stringMatching(message) });
    expect(error.message).toMatch(`127.0.0.1:${server.port}`);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('secret');
  });
});
