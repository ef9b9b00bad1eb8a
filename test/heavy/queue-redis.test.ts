// The store in Redis, on a real Redis.
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Store } from '../../queue/index.cjs';
import { redisStore } from '../../src/queue/index.ts';
import { eventually } from '../helpers/eventually.ts';
import { freePort } from '../helpers/ports.ts';
import { finish } from '../helpers/program.ts';
import { hasRedis, RedisServer } from '../helpers/redis.ts';
import { add, claimed, how } from '../integration/queue/on-a-store.ts';
import { describeStore } from '../integration/queue/store.suite.ts';

if (!hasRedis) console.log('no tests of the store in Redis: redis-server is not installed');
const shared = hasRedis ? await RedisServer.start() : undefined;
afterAll(() => shared?.remove());

const library = join(import.meta.dirname, '..', '..', 'dist', 'queue', 'index.mjs');

/** Each test has a part of the Redis that they share. */
const prefix = () => (expect.getState().currentTestName ?? '').replaceAll(/\W+/g, '-');

function opened(options: { connection?: string | object; prefix?: string } = {}): Store {
  const store = redisStore({ connection: shared!.url, prefix: prefix(), ...options });
  onTestFinished(() => store.close());
  return store;
}

/** Resolves with what the program prints when it has ended by itself. */
async function run(code: string, folder = tmpdir()): Promise<string> {
  const file = join(mkdtempSync(join(folder, 'nsv-program-')), 'program.mjs');
  onTestFinished(() => rmSync(join(file, '..'), { recursive: true }));
  writeFileSync(file, code);
  const { code: exitCode, stdout, stderr } = await finish(process.execPath, [file], { cwd: folder });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return stdout.trim();
}

describe.skipIf(!shared)('with Redis', () => {
  describeStore('Redis', async () => redisStore({ connection: shared!.url, prefix: prefix() }));

  describe('a task', () => {
    it.each(['42', 'user:17', 'queue', 'a b', '{a}', 'ä€😀', '*', 'x'.repeat(200)])(
      'may be known as %j',
      async (id) => {
        const store = opened();
        expect(await add(store, id)).toBe(true);
        expect(await add(store, id)).toBe(false);
        const { claim, task } = await claimed(store);
        expect(task.id).toBe(id);
        await store.finish(claim, { state: 'failed', error: 'Error: no luck' });
        expect(await store.retry('q', id)).toBe(1);
        expect(await store.list('q', 'pending', 1)).toMatchObject([{ id }]);
        expect(await store.remove('q', id)).toBe(true);
      },
    );

    it('leaves nothing behind when it is removed', async () => {
      const store = opened();
      const client = new Redis(shared!.url);
      onTestFinished(() => client.disconnect());
      for (const id of ['a', 'b', 'c']) await add(store, id);
      for (const state of ['completed', 'failed'] as const) {
        const { claim } = await claimed(store);
        await store.finish(claim, state === 'failed' ? { state, error: 'no' } : { state, result: '1' });
      }
      await store.removeCompleted('q', -1);
      for (const id of ['b', 'c']) await store.remove('q', id);
      expect(await client.keys(`${prefix()}*`)).toEqual([`${prefix()}:{q}:queue`]);
    });

    it('is due when its delay is over, also after a failed attempt', async () => {
      const store = opened();
      await add(store, 'a', { delay: 60_000 });
      const { addedAt, dueAt } = (await store.get('q', 'a'))!;
      expect(dueAt! - addedAt).toBe(60_000);
      await add(store, 'b');
      const { claim } = await claimed(store);
      const before = Date.now();
      await store.finish(claim, { state: 'retry', error: 'no luck', delay: 30_000 });
      const task = (await store.get('q', 'b'))!;
      expect(task.dueAt).toBeGreaterThanOrEqual(before + 30_000);
      expect(task.dueAt).toBeLessThanOrEqual(Date.now() + 30_000);
      const answer = (await store.claim('q', how)) as { retryIn: number };
      expect(answer.retryIn).toBeLessThanOrEqual(30_000);
    });
  });

  describe('the end of a task', () => {
    it('comes with the next one in one call', async () => {
      const store = opened();
      for (const id of ['a', 'b']) await add(store, id);
      const { claim } = await claimed(store);
      const one = { ...how, concurrency: 1 };
      const next = await store.next!(claim, { state: 'completed', result: '1' }, one);
      expect(next).toMatchObject({ claim: { id: 'b', token: claim.token + 1 }, task: { id: 'b', state: 'running' } });
      expect(await store.get('q', 'a')).toMatchObject({ state: 'completed', result: '1' });
      // The first claim is void, and the only place is taken.
      expect(await store.next!(claim, { state: 'failed', error: 'late' }, one)).toEqual({ retryIn: undefined });
      expect(await store.counts('q')).toMatchObject({ running: 1, completed: 1, failed: 0 });
    });
  });

  describe('a rate limit', () => {
    it('is exact, whenever the tasks begin', async () => {
      const store = opened();
      for (let n = 0; n < 40; n += 1) await add(store, `t${n}`);
      const begun: number[] = [];
      const limit = { max: 3, per: 200 };
      while (begun.length < 12) {
        const answer = await store.claim('q', { ...how, limit });
        if ('task' in answer) begun.push(answer.task.startedAt!);
        else await after(answer.retryIn);
      }
      for (const at of begun)
        expect(begun.filter((other) => other >= at && other < at + limit.per).length).toBeLessThanOrEqual(3);
    });
  });

  describe('a Redis that was flushed', () => {
    it('takes tasks again, and still reports changes', async () => {
      const own = await RedisServer.start();
      onTestFinished(() => own.remove());
      const client = new Redis(own.url);
      onTestFinished(() => client.disconnect());
      const store = opened({ connection: own.url });
      let calls = 0;
      onTestFinished(
        store.watch!('q', () => {
          calls += 1;
        }),
      );
      await add(store, 'a');
      const { claim } = await claimed(store, { concurrency: 1 });
      await client.flushall();
      await client.script('FLUSH');
      const before = calls;
      for (const id of ['b', 'c']) await add(store, id);
      await eventually(() => calls > before, 'a change is told');
      expect(await store.renew('q', [claim])).toEqual([]);
      await claimed(store, { concurrency: 1 });
      expect(await store.claim('q', { ...how, concurrency: 1 })).toEqual({ retryIn: undefined });
    });
  });

  describe('the settings of a connection', () => {
    it.each([
      ['as options', (more: object) => ({ url: shared!.url, ...more })],
      ['of a client', (more: object) => clientWith(more)],
    ])('that are for the app alone do not count: %s', async (_what, connectionWith) => {
      const more = { lazyConnect: true, stringNumbers: true, keyPrefix: 'app:', commandTimeout: undefined };
      const store = opened({ connection: connectionWith(more) });
      expect(await add(store, 'a')).toBe(true);
      await store.pause('q', true);
      expect(await store.counts('q')).toEqual({ pending: 1, running: 0, completed: 0, failed: 0, paused: true });
      expect(await opened().get('q', 'a')).toMatchObject({ id: 'a' });
    });

    function clientWith(more: object): Redis {
      const client = new Redis(shared!.url, more);
      onTestFinished(() => client.disconnect());
      return client;
    }
  });

  describe('the connection to Redis', () => {
    it('stays open if the app passed its own client', async () => {
      const client = new Redis(shared!.url);
      onTestFinished(() => client.disconnect());
      const store = opened({ connection: client });
      let calls = 0;
      const end = store.watch!('q', () => {
        calls += 1;
      });
      await eventually(async () => {
        await add(store, `${Math.random()}`);
        return calls > 1;
      }, 'a change is told');
      end();
      await store.close();
      expect(await client.ping()).toBe('PONG');
    });

    it('does not keep the process alive once the queue is closed', async () => {
      const code = `
        import { createQueue, redisStore } from ${JSON.stringify(library)};
        const store = redisStore({ connection: '${shared!.url}', prefix: '${prefix()}' });
        const queue = createQueue('q', { store });
        queue.process(({ data }) => data + 1);
        const { id } = await queue.add(1);
        console.log(await queue.waitFor(id));
        await queue.close();`;
      expect(await run(code)).toBe('2');
    });

    it('does not keep a process alive that only adds tasks', async () => {
      const code = `
        import { createQueue, redisStore } from ${JSON.stringify(library)};
        const queue = createQueue('q', { store: redisStore({ connection: '${shared!.url}', prefix: '${prefix()}' }) });
        console.log((await queue.add(1, { id: 'a' })).added);`;
      expect(await run(code)).toBe('true');
    });

    it('does not keep the process alive if Redis was never there', async () => {
      const code = `
        import { createQueue, redisStore } from ${JSON.stringify(library)};
        const queue = createQueue('q', { store: redisStore({ connection: 'redis://127.0.0.1:${await freePort()}' }) });
        queue.waitFor('x').catch(({ code }) => console.log(code));
        await queue.add(1).catch(({ code }) => console.log(code));
        await queue.close();`;
      expect(await run(code)).toBe('NSV_STORE\nNSV_STORE');
    });
  });
});

describe('redisStore without ioredis', () => {
  it('fails with an error that names the package to install', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'nsv-no-ioredis-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    copyFileSync(library, join(folder, 'library.mjs'));
    const code = `
      import { createQueue, redisStore } from ${JSON.stringify(join(folder, 'library.mjs'))};
      const queue = createQueue('q', { store: redisStore({ connection: 'redis://127.0.0.1' }) });
      await queue.add(1).catch(({ code, message }) => console.log(code, message));
      await queue.close();`;
    expect(await run(code, folder)).toBe(
      'NSV_NO_REDIS redisStore needs the package "ioredis", which is not installed; run "npm install ioredis", or use another store',
    );
  });
});
