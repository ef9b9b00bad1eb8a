// What the store in Redis decides.
import { inspect } from 'node:util';
import type { Job, JobJson } from 'bullmq';
import { describe, expect, it } from 'vitest';
import type { TaskState } from '../../../queue/index.cjs';
import { diedError } from '../../../src/queue/errors.ts';
import { redisStore } from '../../../src/queue/index.ts';
import { redisAddressOf, storeError } from '../../../src/queue/stores/redis/connection.ts';
import { limiterOf } from '../../../src/queue/stores/redis/handles.ts';
import { taskOfJob, taskStateOf } from '../../../src/queue/stores/redis/job.ts';

/**
 * When tasks begin, in milliseconds, if they are so many that each window is filled: at its beginning, or, but for the first task, at its end, which
 * is the worst that can be before the next one.
 */
function beginnings(limiter: { max: number; duration: number }, until: number, isLate: (window: number) => boolean) {
  const found: number[] = [];
  for (let window = 0, at = 0; at < until; window += 1, at += limiter.duration) {
    for (let task = 0; task < limiter.max; task += 1)
      found.push(task > 0 && isLate(window) ? at + limiter.duration - 0.001 : at);
  }
  return found;
}

/** The most that begin within any span. */
function mostWithin(per: number, begun: number[]): number {
  return Math.max(...begun.map((at) => begun.filter((other) => other >= at && other < at + per).length));
}

describe('the limiter of BullMQ', () => {
  const limits = [1, 2, 5, 9, 10, 15, 19, 20, 25, 29, 30, 99, 100, 250].flatMap((max) =>
    [10, 100, 1_000, 60_000].map((per) => ({ max, per })),
  );

  it.each(limits)('lets at most $max tasks begin in any $per ms, and almost as many', ({ max, per }) => {
    const limiter = limiterOf({ max, per });
    const spans = [() => false, () => true, (window: number) => window % 2 === 0, (window: number) => window === 0];
    for (const isLate of spans) expect(mostWithin(per, beginnings(limiter, 3 * per, isLate))).toBeLessThanOrEqual(max);
    // The windows are of whole milliseconds.
    const share = (limiter.max * per) / limiter.duration / max;
    if (per >= 20 * max) expect(share).toBeGreaterThan(0.83);
  });

  it('spreads a small limit evenly', () => {
    expect(limiterOf({ max: 3, per: 1_000 })).toEqual({ max: 1, duration: 334 });
    expect(limiterOf({ max: 100, per: 60_000 })).toEqual({ max: 10, duration: 6_667 });
  });
});

describe('a job of BullMQ', () => {
  const job = (fields: object) =>
    ({ id: 'a', data: null, timestamp: 1_000, progress: 0, stalledCounter: 0, attemptsMade: 0, ...fields }) as Job;
  const task = { id: 'a', data: 'null', addedAt: 1_000 };

  it.each<[string, TaskState, object, object]>([
    ['waits', 'pending', {}, { failures: 0, deaths: 0, dueAt: 1_000 }],
    ['is delayed', 'pending', { delay: 50 }, { failures: 0, deaths: 0, dueAt: 1_050 }],
    [
      'is repeated later',
      'pending',
      { delay: 50, processedOn: 2_000, processedBy: 'here:1', attemptsMade: 1, failedReason: 'wrong' },
      { failures: 1, deaths: 0, dueAt: 2_050, error: 'wrong' },
    ],
    [
      'runs',
      'running',
      { processedOn: 2_000, processedBy: 'here:1', stalledCounter: 1, progress: 'half' },
      { failures: 0, deaths: 1, startedAt: 2_000, worker: 'here:1', progress: '"half"' },
    ],
    [
      'is completed in its second attempt',
      'completed',
      { processedOn: 2_000, finishedOn: 3_000, attemptsMade: 2, failedReason: 'wrong', returnvalue: 0 },
      { failures: 1, deaths: 0, finishedAt: 3_000, error: 'wrong', result: '0' },
    ],
    [
      'has failed',
      'failed',
      { processedOn: 2_000, finishedOn: 3_000, attemptsMade: 2, failedReason: 'wrong', returnvalue: null },
      { failures: 2, deaths: 0, finishedAt: 3_000, error: 'wrong' },
    ],
    [
      'has lost three processes',
      'failed',
      { finishedOn: 3_000, attemptsMade: 2, stalledCounter: 2, failedReason: diedError },
      { failures: 1, deaths: 3, finishedAt: 3_000, error: diedError },
    ],
  ])('is a task if it %s', (_what, state, fields, expected) => {
    expect(taskOfJob(job(fields), state)).toEqual({ ...task, state, ...expected });
  });

  it.each<[object, boolean, TaskState]>([
    [{}, false, 'pending'],
    [{ processedOn: 2_000 }, false, 'pending'],
    [{ processedOn: 2_000 }, true, 'running'],
    [{ finishedOn: 3_000, returnvalue: 'null' }, false, 'completed'],
    // It has ended after the first look.
    [{ finishedOn: 3_000, returnvalue: 'null', failedReason: 'wrong' }, true, 'completed'],
    [{ finishedOn: 3_000, failedReason: 'wrong' }, false, 'failed'],
  ])('has a state: %j (active: %j) is %s', (data, isActive, state) => {
    expect(taskStateOf(data as JobJson, isActive)).toBe(state);
  });
});

describe('the address of a Redis', () => {
  it.each<[string | object, string]>([
    ['redis://me:secret@example.com:6380/2', 'example.com:6380/2'],
    ['redis://example.com/0', 'example.com:6379'],
    ['redis://example.com/', 'example.com:6379'],
    ['redis://example.com?db=3', 'example.com:6379/3'],
    ['rediss://example.com:6380/1?family=6', 'example.com:6380/1'],
    ['/run/redis.sock?db=5', '/run/redis.sock/5'],
    ['rediss://example.com', 'example.com:6379'],
    ['me:secret@example.com', 'example.com:6379'],
    ['redis://[::1]:6380', '[::1]:6380'],
    ['/run/redis.sock?password=secret', '/run/redis.sock'],
    ['6380', '127.0.0.1:6380'],
    ['redis://me:sec%ret@a b', 'an address that is not a URL'],
    [{}, '127.0.0.1:6379'],
    [{ host: 'example.com', port: 6380, password: 'secret' }, 'example.com:6380'],
    [{ url: 'redis://me:secret@example.com' }, 'example.com:6379'],
    [{ url: 'redis://me:secret@example.com/1' }, 'example.com:6379/1'],
    [{ url: 'redis://example.com/1', db: 2 }, 'example.com:6379/1'],
    [{ host: 'example.com', db: 0 }, 'example.com:6379'],
    [{ host: 'example.com', db: 1 }, 'example.com:6379/1'],
    [{ path: '/run/redis.sock' }, '/run/redis.sock'],
    [{ sentinels: [{ host: 'one' }, 'two:1'], name: 'shop', db: 1 }, 'one:26379, two:1 (shop)/1'],
    [{ duplicate: () => {}, options: { host: 'example.com', port: 1, db: 2 } }, 'example.com:1/2'],
    [{ duplicate: () => {}, options: { url: 'redis://example.com', database: 2 } }, 'example.com:6379/2'],
    [{ sentinels: [{ host: 'one', port: 26379 }, { host: 'two' }], name: 'shop' }, 'one:26379, two:26379 (shop)'],
    [{ duplicate: () => {}, options: { host: 'example.com', port: 1 } }, 'example.com:1'],
    [{ duplicate: () => {}, options: { socket: { host: 'example.com', port: 1 } } }, 'example.com:1'],
    [
      { duplicate: () => {}, options: {}, startupNodes: ['redis://:secret@one:1', { port: 2 }, 3] },
      'one:1, 127.0.0.1:2, 127.0.0.1:3',
    ],
  ])('is rendered without secrets: %j as %s', (connection, address) => {
    expect(redisAddressOf(connection)).toBe(address);
  });
});

describe('an error of Redis', () => {
  it('names the server and what the error means, and reveals no secret', () => {
    const rejected = Object.assign(new Error('WRONGPASS invalid username-password pair or user is disabled.'), {
      command: { name: 'auth', args: ['secret'] },
    });
    const error = storeError('127.0.0.1:6379', rejected);
    expect(error).toMatchObject({
      code: 'NSV_STORE',
      message:
        'the store in Redis at 127.0.0.1:6379 failed: it rejects the user name or the password; check them in "connection" ' +
        '(WRONGPASS invalid username-password pair or user is disabled.)',
    });
    expect(inspect(error, { depth: 9 })).not.toContain('secret');
  });

  it.each([
    "NOPERM this user has no permissions to run the 'info' command",
    "ERR The user executing the script can't run this command or subcommand script: 5ab432e, on @user_script:589.",
    "ERR The user executing the script can't access at least one of the keys mentioned in the command arguments",
  ])('explains that the user lacks the right: %s', (message) => {
    expect(storeError('localhost:1', new Error(message)).message).toMatch(
      'its user may not do this; give it the rights',
    );
  });

  it('has a message even if Node has none', () => {
    const refused = Object.assign(new AggregateError([new Error('one'), new Error('two')], ''), {
      code: 'ECONNREFUSED',
    });
    expect(storeError('localhost:1', refused).message).toBe('the store in Redis at localhost:1 failed: ECONNREFUSED');
  });
});

describe('the options of the store in Redis', () => {
  it('include a valid connection', () => {
    expect(() => redisStore({} as never)).toThrow('"connection" must be a URL, options or a client, not undefined');
    expect(() => redisStore({ connection: '' })).toThrow('"connection" must be a URL, options or a client, not ');
    expect(() => redisStore({ connection: {}, prefix: '' })).toThrow('"prefix" must be a text, not ""');
  });
});
