// The queue, as both programs have it.
import { join } from 'node:path';
import { createQueue, redisStore, sqliteStore } from 'nsv/queue';

const { REDIS_URL } = process.env;

export const orders = createQueue('exports', {
  concurrency: 2,
  timeout: 60_000,
  store: REDIS_URL
    ? redisStore({ connection: REDIS_URL })
    : sqliteStore({ file: join(import.meta.dirname, 'exports.sqlite') }),
});
