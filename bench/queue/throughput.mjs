// How many empty tasks one process adds, claims and completes in a second: by nsv/queue, or by BullMQ itself.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Queue, Worker } from 'bullmq';
import { queueFrom, startRedis } from './store.mjs';

export async function throughput({ store = 'sqlite', tasks = 10_000, full = false, concurrency = 8 } = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'nsv-bench-'));
  const redis = store === 'sqlite' ? undefined : await startRedis(join(directory, 'redis'));
  const queue =
    store === 'bullmq'
      ? bullQueue(redis.url, concurrency)
      : await queueFrom({
          QUEUE_OPTIONS: JSON.stringify({ concurrency }),
          ...(full && { QUEUE_SYNC: 'full' }),
          ...(redis ? { QUEUE_REDIS: redis.url } : { QUEUE_FILE: join(directory, 'queues.sqlite') }),
        });
  try {
    let done = 0;
    let finished = () => {};
    const all = new Promise((resolve) => {
      finished = resolve;
    });
    const begin = performance.now();
    const cpu = process.cpuUsage();
    queue.process(() => {
      done += 1;
      if (done === tasks) finished();
    });
    for (let n = 0; n < tasks; n += 100) await Promise.all(Array.from({ length: 100 }, (_, at) => queue.add(n + at)));
    await all;
    const { user, system } = process.cpuUsage(cpu);
    return {
      'tasks per second': Math.round((tasks / (performance.now() - begin)) * 1000),
      'microseconds of CPU per task': Math.round((user + system) / tasks),
    };
  } finally {
    await queue.close();
    await redis?.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

function bullQueue(url, concurrency) {
  const connection = { url, maxRetriesPerRequest: null };
  const queue = new Queue('bench', { connection });
  let worker;
  return {
    add: (data) => queue.add('task', data),
    process(handler) {
      worker = new Worker('bench', async () => handler(), { connection, concurrency });
    },
    async close() {
      await worker.close();
      await queue.close();
    },
  };
}
