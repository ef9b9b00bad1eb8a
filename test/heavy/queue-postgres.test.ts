// The store of examples/postgres-store, on a real PostgreSQL.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Store } from '../../queue/index.cjs';
import { diedError } from '../../src/queue/errors.ts';
import { createQueue } from '../../src/queue/index.ts';
import { eventually } from '../helpers/eventually.ts';
import { root } from '../helpers/nsv.ts';
import { PostgresServer, whyNoPostgres } from '../helpers/postgres.ts';
import { add, claimed, how, takenBack } from '../integration/queue/on-a-store.ts';
import { describeStore } from '../integration/queue/store.suite.ts';

if (whyNoPostgres) console.log(`no tests of the store in PostgreSQL: ${whyNoPostgres}`);
const server = whyNoPostgres ? undefined : await PostgresServer.start();
afterAll(() => server?.remove());

const folder = join(root, 'examples', 'postgres-store');
const { postgresStore } = await import(join(folder, 'store.mjs'));
const urls = new Map<string, string>();

/** Each test has a database of its own. */
async function urlOfTest(): Promise<string> {
  const { currentTestName = '' } = expect.getState();
  const known = urls.get(currentTestName);
  if (known) return known;
  const name = `test_${urls.size}`;
  const url = server!.url.replace(/postgres$/, name);
  urls.set(currentTestName, url);
  await server!.query(`CREATE DATABASE ${name}`);
  await server!.query(readFileSync(join(folder, 'tasks.sql'), 'utf8'), url);
  return url;
}

async function opened(): Promise<Store> {
  const store = postgresStore(await urlOfTest());
  onTestFinished(() => store.close());
  return store;
}

describe.skipIf(!server)('the store in PostgreSQL', () => {
  describeStore('PostgreSQL', async () => postgresStore(await urlOfTest()));

  it('hands out no more tasks than the concurrency allows, however many processes ask', async () => {
    const stores = await Promise.all([opened(), opened(), opened(), opened()]);
    for (let n = 0; n < 40; n += 1) await add(stores[0]!, `t${n}`);
    const options = { ...how, concurrency: 3 };
    for (let round = 0; round < 10; round += 1) {
      const all = await Promise.all([...stores, ...stores].map((store) => store.claim('q', options)));
      const found = all.filter((answer) => 'task' in answer);
      expect(found).toHaveLength(3);
      await Promise.all(found.map(({ claim }) => stores[0]!.finish(claim, { state: 'completed', result: '1' })));
    }
  });

  it('fails a task after three deaths with the same error as the other stores', async () => {
    const store = await opened();
    await add(store, 'a');
    for (let deaths = 1; deaths <= 3; deaths += 1) {
      await claimed(store);
      await takenBack(store);
    }
    expect((await store.get('q', 'a'))!.error).toBe(diedError);
  });

  it('accepts any characters in data and errors', async () => {
    const store = await opened();
    await add(store, 'a', { data: '"\\u0000\'; DROP TABLE tasks; --"' });
    const { claim, task } = await claimed(store);
    expect(JSON.parse(task.data)).toBe("\0'; DROP TABLE tasks; --");
    await store.finish(claim, { state: 'failed', error: "it's \0\ud800 $1 {}" });
    expect(await store.get('q', 'a')).toMatchObject({ state: 'failed', error: "it's \ufffd $1 {}" });
  });

  it('reports changes again after a lost connection, and names its address', async () => {
    const store = await opened();
    const ownUrl = await urlOfTest();
    expect(store.place!()).toBe(ownUrl.replace('postgres://tests@', ''));
    let calls = 0;
    const end = store.watch!('q', () => {
      calls += 1;
    });
    onTestFinished(end);
    await eventually(() => calls > 0, 'it listens');
    await server!.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'LISTEN tasks'`, ownUrl);
    const before = calls;
    await eventually(() => calls > before, 'it listens again');
    const again = calls;
    await add(store, 'a');
    await eventually(() => calls > again, 'a change is told');
  });

  it('serves a queue, and recovers when the database comes back', async () => {
    const own = await PostgresServer.start();
    onTestFinished(() => own.remove());
    await own.query(readFileSync(join(folder, 'tasks.sql'), 'utf8'));
    const queue = createQueue<number, number>('q', { store: postgresStore(own.url), concurrency: 3 });
    onTestFinished(() => queue.close());
    queue.process(({ data }) => data + 1);
    const { id } = await queue.add(1);
    expect(await queue.waitFor(id)).toBe(2);
    await own.stop();
    await expect(queue.add(2)).rejects.toThrow();
    await own.start();
    const again = await eventually(() => queue.add(3).catch(() => undefined), 'tasks can be added again');
    expect(await queue.waitFor(again.id)).toBe(4);
  });
});
