// How many members of a sorted set have a higher score. BullMQ's set of completed jobs has the time as the score.
import type { IRedisClient } from 'bullmq';

const name = 'nsvCountAfter';
/** Clients differ in how they say ZCOUNT, and agree on scripts. */
const script = { numberOfKeys: 1, lua: `return redis.call('ZCOUNT', KEYS[1], ARGV[1], '+inf')` };
const known = new WeakSet<IRedisClient>();

export async function countAfter(client: IRedisClient, key: string, score: number): Promise<number> {
  if (!known.has(client)) client.defineCommand(name, script);
  known.add(client);
  return client.runCommand(name, [key, `(${score}`]);
}
