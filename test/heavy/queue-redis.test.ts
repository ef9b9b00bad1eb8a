// The store in Redis, by BullMQ, on a real Redis.
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Queue as BullQueue, Worker as BullWorker } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Store } from '../../queue/index.cjs';
import { redisStore } from '../../src/queue/index.ts';
import { eventually } from '../helpers/eventually.ts';
import { freePort } from '../helpers/ports.ts';
import { finish } from '../helpers/program.ts';
import { hasRedis, RedisServer } from '../helpers/redis.ts';
import { add, claimed, expired, how } from '../integration/queue/on-a-store.ts';
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

function inBullMQ(): BullQueue {
  const queue = new BullQueue('q', { connection: { url: shared!.url }, prefix: prefix() });
  onTestFinished(() => queue.close());
  return queue;
}

/** Resolves with what the program prints when it has ended by itself. */
async function run(code: string, folder = tmpdir()): Promise<string> {
  const file = join(mkdtempSync(join(folder, 'nsv-program-')), 'program.mjs');
  onTestFinished(() => rmSync(join(file, '..'), { recursive: true }));
  writeFileSync(file, code);
  const { code: exitCode, stdout, stderr } = await finish(process.execPath, [file]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return stdout.trim();
}

describe.skipIf(!shared)('with Redis', () => {
  describeStore('Redis', async () => redisStore({ connection: shared!.url, prefix: prefix() }));

  describe('BullMQ', () => {
    it('sees the tasks', async () => {
      const store = opened();
      const bull = inBullMQ();
      await add(store, 'done', { data: '{"n":1}' });
      await add(store, 'wrong', { priority: 3 });
      await add(store, 'later', { delay: 60_000 });
      expect(await bull.getJobCounts()).toMatchObject({ waiting: 1, prioritized: 1, delayed: 1 });
      expect(await bull.getJob('wrong')).toMatchObject({ priority: 3, name: 'task' });
      const { claim } = await claimed(store);
      await store.progress(claim, '{"percent":50}');
      expect(await bull.getJob('done')).toMatchObject({
        ...{ data: { n: 1 }, processedBy: how.worker, progress: { percent: 50 } },
      });
      await store.finish(claim, { state: 'completed', result: '{"ok":true}' });
      const { claim: second } = await claimed(store);
      await store.finish(second, { state: 'failed', error: 'Error: no luck' });
      expect(await bull.getJob('done')).toMatchObject({ returnvalue: { ok: true }, attemptsMade: 1 });
      expect(await bull.getJobState('done')).toBe('completed');
      expect(await bull.getJob('wrong')).toMatchObject({ failedReason: 'Error: no luck', attemptsMade: 1 });
      expect(await bull.getJobState('wrong')).toBe('failed');
      await bull.pause();
      expect((await store.counts('q')).paused).toBe(true);
    });

    it('can add and process tasks', async () => {
      const store = opened();
      const { id } = await inBullMQ().add('hello', { to: 'you' });
      expect(await store.get('q', id!)).toMatchObject({ id, state: 'pending', data: '{"to":"you"}' });
      const { claim } = await claimed(store);
      await store.finish(claim, { state: 'completed', result: '1' });
      await add(store, 'theirs', { data: '{"n":1}' });
      const connection = { url: shared!.url };
      const worker = new BullWorker('q', async ({ data }) => data.n + 1, { connection, prefix: prefix() });
      onTestFinished(() => worker.close());
      const done = await eventually(async () => {
        const task = await store.get('q', 'theirs');
        return task?.state === 'completed' && task;
      }, 'the task is done by BullMQ');
      expect(done).toMatchObject({ result: '2', failures: 0 });
      expect(await store.completedSince!('q', 0)).toBe(2);
    });

    it('keeps its own keys when a task is looked up, removed or retried by their names', async () => {
      const store = opened();
      await add(store, 'a');
      await add(store, 'b');
      const { claim } = await claimed(store);
      for (const id of ['meta', 'wait', 'a:lock', '']) {
        expect(await store.get('q', id)).toBeUndefined();
        expect(await store.remove('q', id)).toBe(false);
        expect(await store.retry('q', id)).toBe(0);
      }
      expect(await store.renew(claim, 60_000)).toBe(true);
      expect(await store.counts('q')).toMatchObject({ pending: 1, running: 1 });
    });
  });

  describe('a task', () => {
    it('fails at its next claim after its lease has expired three times', async () => {
      const store = opened();
      await add(store, 'a');
      for (let deaths = 1; deaths <= 3; deaths += 1) {
        await claimed(store, { lease: 1 });
        await expired(store);
        expect(await store.get('q', 'a')).toMatchObject({ state: 'pending', deaths });
      }
      expect(await store.claim('q', how)).toEqual({ retryIn: undefined });
      const task = await store.get('q', 'a');
      expect(task).toMatchObject({ state: 'failed', failures: 0, deaths: 3, finishedAt: expect.any(Number) });
      expect(task!.error).toMatch('3 processes died');
    });

    it('starts again with no failures and no deaths when it is retried', async () => {
      const store = opened();
      await add(store, 'a');
      for (let deaths = 1; deaths <= 3; deaths += 1) {
        await claimed(store);
        await store.release('q', how.owner);
      }
      expect(await store.get('q', 'a')).toMatchObject({ state: 'failed', failures: 0, deaths: 3 });
      expect(await store.retry('q')).toBe(1);
      expect(await store.get('q', 'a')).toMatchObject({ state: 'pending', failures: 0, deaths: 0 });
      await claimed(store);
      await store.release('q', how.owner);
      expect(await store.get('q', 'a')).toMatchObject({ state: 'pending', failures: 0, deaths: 1 });
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

  describe('a Redis that was flushed', () => {
    it('gets the concurrency set again, and still reports changes', async () => {
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
      const one = { concurrency: 1 };
      await add(store, 'a');
      await claimed(store, one);
      expect(await store.claim('q', { ...how, ...one })).toEqual({ retryIn: undefined });
      await client.flushall();
      const before = calls;
      for (const id of ['b', 'c']) await add(store, id);
      await eventually(() => calls > before, 'a change is told');
      await claimed(store, one);
      expect(await store.claim('q', { ...how, ...one })).toEqual({ retryIn: undefined });
    });
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
        await add(store, `t-${calls}-${Math.random()}`.replace('.', '-'));
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

describe('redisStore without BullMQ', () => {
  it('fails with an error that names the packages to install', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'nsv-no-bullmq-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    copyFileSync(library, join(folder, 'library.mjs'));
    const code = `
      import { createQueue, redisStore } from ${JSON.stringify(join(folder, 'library.mjs'))};
      const queue = createQueue('q', { store: redisStore({ connection: 'redis://127.0.0.1' }) });
      await queue.add(1).catch(({ code, message }) => console.log(code, message));
      await queue.close();`;
    expect(await run(code, folder)).toBe(
      'NSV_NO_REDIS redisStore needs the package "bullmq", which is not installed; run "npm install bullmq ioredis", or use another store',
    );
  });
});
