// The rate limit of a queue over machines, one of which is cut off for a while.
import { accessSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { rate } from '../../bench/queue/rate.mjs';
import { hasRedis } from '../helpers/redis.ts';

const hasNamespaces = process.getuid?.() === 0 && isThere('/sbin/ip');
const isTried = hasRedis && hasNamespaces;
if (!isTried) console.log('no test of the rate limit over machines: it needs redis-server, ip, and root');

function isThere(file: string): boolean {
  try {
    accessSync(file);
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(!isTried)('the rate limit of a queue in Redis', () => {
  it('holds across two machines, one of which is cut off and comes back', async () => {
    expect(await rate()).toMatchObject({ problems: [] });
  });
});
