// What an app imports as `nsv/queue`. The types are in queue/index.d.cts, the page is docs/queue.md. Importing it starts nothing.
export { createQueue } from './queue.ts';
export { redisStore } from './stores/redis/redis.ts';
export { memoryStore, sqliteStore } from './stores/sqlite/sqlite.ts';
