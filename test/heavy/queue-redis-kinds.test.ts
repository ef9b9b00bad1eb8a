// The store in Redis as companies have it: with TLS, with rights, with sentinels, and as a cluster.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Store } from '../../queue/index.cjs';
import { createQueue, redisStore } from '../../src/queue/index.ts';
import { certificate } from '../helpers/certificate.ts';
import { eventually } from '../helpers/eventually.ts';
import { root } from '../helpers/nsv.ts';
import { freePort } from '../helpers/ports.ts';
import { outputOf } from '../helpers/program.ts';
import { hasRedis, RedisServer } from '../helpers/redis.ts';
import { add, claimed } from '../integration/queue/on-a-store.ts';
import { describeStore } from '../integration/queue/store.suite.ts';

if (!hasRedis) console.log('no tests of the store in Redis: redis-server is not installed');

async function started(...options: string[]): Promise<RedisServer> {
  const server = await RedisServer.start(...options);
  onTestFinished(() => server.remove());
  return server;
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'nsv-redis-files-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function opened(connection: string | object, prefix?: string): Store {
  const store = redisStore({ connection, ...(prefix && { prefix }) });
  onTestFinished(() => store.close());
  return store;
}

async function expectAll(store: Store, id = 'a'): Promise<void> {
  let calls = 0;
  const end = store.watch!('q', () => {
    calls += 1;
  });
  await eventually(() => calls > 0, 'it listens');
  const before = calls;
  await add(store, id);
  await eventually(() => calls > before, 'a change is told');
  const { claim } = await claimed(store);
  expect(await store.finish(claim, { state: 'completed', result: '1' })).toBe(true);
  expect(await store.get('q', id)).toMatchObject({ state: 'completed', result: '1' });
  expect(await store.completedSince!('q', 0)).toBeGreaterThan(0);
  end();
}

/** As docs/queue.md names them. */
const [, rule = ''] = /^ACL SETUSER shop on '>secret' (.+)$/m.exec(
  readFileSync(join(root, 'docs', 'queue.md'), 'utf8'),
)!;
const rights = rule.split(' ');
const rightsInCluster = ['+cluster|slots', '+cluster|info'];

describe.skipIf(!hasRedis)('the store in Redis', () => {
  it('connects over TLS by URL and by options, and rejects an unknown certificate', async () => {
    const [key, cert] = await certificate(newFolder());
    const port = await freePort();
    const files = ['--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', cert];
    await started('--tls-port', String(port), '--tls-auth-clients', 'no', ...files);
    const ca = readFileSync(cert);
    await expectAll(opened({ url: `rediss://localhost:${port}`, tls: { ca } }), 'a');
    await expectAll(opened({ host: 'localhost', port, tls: { ca } }), 'b');
    await expect(add(opened(`rediss://localhost:${port}`), 'c')).rejects.toMatchObject({
      code: 'NSV_STORE',
      message: expect.stringMatching(`the store in Redis at localhost:${port} failed: self-signed certificate`),
    });
  });

  it('keeps working through a Sentinel failover', async () => {
    const primary = await started();
    const replica = await started('--replicaof', '127.0.0.1', String(primary.port));
    const conf = join(newFolder(), 'sentinel.conf');
    writeFileSync(conf, `sentinel monitor shop 127.0.0.1 ${primary.port} 1\nsentinel failover-timeout shop 10000\n`);
    const sentinel = await started(conf, '--sentinel');
    const asked = new Redis(sentinel.url);
    onTestFinished(() => asked.disconnect());
    await eventually(async () => {
      const found = (await asked.call('SENTINEL', 'REPLICAS', 'shop')) as string[][];
      return found.some((replica) => replica.includes('ok') || replica.includes('slave'));
    }, 'the sentinel knows the replica');
    const connection = { sentinels: [{ host: '127.0.0.1', port: sentinel.port }], name: 'shop' };
    const store = opened(connection);
    await expectAll(store, 'a');
    const queue = createQueue<number, number>('numbers', { store: redisStore({ connection }), concurrency: 2 });
    onTestFinished(() => queue.close());
    queue.process(({ data }) => data + 1);
    const before = await queue.add(1);
    expect(await queue.waitFor(before.id)).toBe(2);
    await eventually(() => asked.call('SENTINEL', 'FAILOVER', 'shop').catch(() => undefined), 'the failover begins');
    await eventually(async () => {
      const [, port] = (await asked.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'shop')) as string[];
      return Number(port) === replica.port;
    }, 'the replica is the primary');
    const after = await eventually(() => queue.add(2, { id: 'after' }).catch(() => undefined), 'a task is added');
    expect(await queue.waitFor(after.id)).toBe(3);
    await eventually(
      () =>
        expectAll(store, `b${Date.now()}`).then(
          () => true,
          () => false,
        ),
      'the other store works',
    );
  });
});

describe.skipIf(!hasRedis)('the store in Redis with the rights that docs/queue.md names', () => {
  let server: RedisServer;
  let admin: Redis;
  let connection: { port: number; username: string; password: string };
  beforeAll(async () => {
    server = await RedisServer.start();
    connection = { port: server.port, username: 'shop', password: 'secret' };
    admin = new Redis(server.url);
    await admin.call('ACL', 'SETUSER', 'shop', 'on', '>secret', ...rights);
  });
  afterAll(async () => {
    admin.disconnect();
    await server.remove();
  });

  /** Each test has queues of its own below the prefix. */
  const prefix = () => `nsv:${(expect.getState().currentTestName ?? '').replaceAll(/\W+/g, '-')}`;

  describeStore('Redis', async () => redisStore({ connection, prefix: prefix() }));

  it('works, and has access to nothing else', async () => {
    await expectAll(opened(connection));
    // Nothing of what all tests have done was refused.
    expect(await admin.call('ACL', 'LOG')).toEqual([]);
    await expect(add(opened(connection, 'other'), 'a')).rejects.toMatchObject({
      code: 'NSV_STORE',
      message: expect.stringMatching('its user may not do this; give it the rights that docs/queue.md names'),
    });
    const client = new Redis(connection);
    onTestFinished(() => client.disconnect());
    for (const command of ['FLUSHALL', 'KEYS *', 'CONFIG GET *', 'SHUTDOWN']) {
      const [name, ...words] = command.split(' ');
      await expect(client.call(name!, ...words)).rejects.toThrow('NOPERM');
    }
  });
});

describe.skipIf(!hasRedis)('the store in a Redis cluster', () => {
  let servers: RedisServer[] = [];
  let nodes: { host: string; port: number }[];
  let addresses: string[];
  beforeAll(async () => {
    servers = await Promise.all([1, 2, 3].map(startNode));
    nodes = servers.map(({ port }) => ({ host: '127.0.0.1', port }));
    addresses = nodes.map(({ host, port }) => `${host}:${port}`);
    await outputOf('redis-cli', ['--cluster', 'create', ...addresses, '--cluster-yes']);
    const knows = (port: number) => outputOf('redis-cli', ['-p', String(port), 'CLUSTER', 'INFO']);
    for (const { port } of nodes)
      await eventually(async () => (await knows(port)).includes('cluster_state:ok'), 'the nodes know each other');
  });
  afterAll(() => Promise.all(servers.map((server) => server.remove())));

  function cluster() {
    const client = new Redis.Cluster(nodes);
    onTestFinished(() => client.disconnect());
    return client;
  }

  const prefix = () => (expect.getState().currentTestName ?? '').replaceAll(/\W+/g, '-');

  describeStore('Redis', async () => redisStore({ connection: cluster(), prefix: prefix() }));

  it('works with a cluster client, and is named by its nodes', async () => {
    const store = opened(cluster());
    await expectAll(store);
    expect(store.place!()).toBe(addresses.join(', '));
    const queue = createQueue<number, number>('numbers', { store: redisStore({ connection: cluster() }) });
    onTestFinished(() => queue.close());
    queue.process(({ data }) => data + 1);
    const { id } = await queue.add(1);
    expect(await queue.waitFor(id)).toBe(2);
  });

  it('does not keep a process alive that only adds tasks', async () => {
    const program = join(newFolder(), 'program.mjs');
    writeFileSync(
      program,
      `import { createRequire } from 'node:module';
       import { createQueue, redisStore } from ${JSON.stringify(join(root, 'dist', 'queue', 'index.mjs'))};
       const { Redis } = createRequire(${JSON.stringify(join(root, 'package.json'))})('ioredis');
       const client = new Redis.Cluster(${JSON.stringify(nodes)}, { keyPrefix: 'app:', lazyConnect: true });
       const queue = createQueue('alone', { store: redisStore({ connection: client }) });
       console.log((await queue.add(1, { id: 'alone' })).added);`,
    );
    expect(await outputOf(process.execPath, [program])).toBe('true\n');
    expect(await opened(cluster()).get('alone', 'alone')).toMatchObject({ id: 'alone' });
  });

  it('works with the rights that docs/queue.md names', async () => {
    const words = [...rights, ...rightsInCluster];
    for (const { port } of nodes)
      await outputOf('redis-cli', ['-p', String(port), 'ACL', 'SETUSER', 'shop', 'on', '>secret', ...words]);
    const client = new Redis.Cluster(nodes, { redisOptions: { username: 'shop', password: 'secret' } });
    onTestFinished(() => client.disconnect());
    await expectAll(opened(client), 'of-shop');
  });

  async function startNode(): Promise<RedisServer> {
    return RedisServer.start('--cluster-enabled', 'yes', '--cluster-port', String(await freePort()));
  }
});
