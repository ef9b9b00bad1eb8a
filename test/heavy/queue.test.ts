// Queues under everything that can go wrong at once, and the example on Redis.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { chaos } from '../../bench/queue/chaos.mjs';
import { copyExample, order } from '../helpers/example-exports.ts';
import { homeForEach } from '../helpers/nsv.ts';
import { hasRedis, RedisServer } from '../helpers/redis.ts';

const nsv = homeForEach();
const stores = ['sqlite', ...(hasRedis ? ['redis'] : [])];
if (!hasRedis) console.log('no tests of queues in Redis: redis-server is not installed');

describe('a queue', () => {
  it.each(stores)('loses no task, and never runs one twice at a time, while processes die: %s', async (store) => {
    const { problems, counts, kills } = await chaos({ store, tasks: 2_000 });
    expect(problems).toEqual([]);
    expect(counts).toMatchObject({ pending: 0, running: 0, completed: 2_000, failed: 0 });
    expect(kills).toBeGreaterThan(0);
  });
});

describe.skipIf(!hasRedis)('the example', () => {
  it('runs on Redis when REDIS_URL is set', async () => {
    const redis = await RedisServer.start();
    onTestFinished(() => redis.remove());
    const directory = join(nsv.directory, 'exports');
    const url = await copyExample(directory);
    const { code, stderr } = await nsv.runWith({ env: { REDIS_URL: redis.url } }, 'start', directory);
    expect(code, stderr).toBe(0);
    const file = await order(url, 2);
    expect(readFileSync(file, 'utf8')).toBe('number,square\n1,1\n2,4\n');
    rmSync(file);
    const { stdout } = await nsv.run('queue', 'exports', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ place: `127.0.0.1:${redis.port}`, counts: { completed: 1 } });
  });
});
