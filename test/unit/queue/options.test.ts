import { describe, expect, it } from 'vitest';
import { addOptionsOf, queueNameOf, queueSettingsOf, storeOf } from '../../../src/queue/options.ts';

describe('the options of a queue', () => {
  it('have defaults', () => {
    expect(queueSettingsOf({})).toEqual({
      concurrency: 1,
      limit: undefined,
      timeout: 600_000,
      onTimeout: 'abandon',
      retries: 3,
      backoff: { delay: 1_000, max: 300_000 },
      keepCompleted: 3_600_000,
    });
  });

  it.each([
    [{ concurrency: 0 }, '"concurrency" must be a whole number from 1 to 10000, not 0'],
    [{ concurrency: 1.5 }, '"concurrency" must be a whole number from 1 to 10000, not 1.5'],
    [{ limit: { max: 0, per: 1 } }, '"limit.max" must be a whole number from 1 to 1000000, not 0'],
    [{ limit: { max: 1, per: Number.NaN } }, '"limit.per" must be'],
    [{ timeout: -1 }, '"timeout" must be'],
    [{ retries: '3' as never }, `"retries" must be a whole number from 0 to 1000, not '3'`],
    [
      { retries: Object.create(null) },
      '"retries" must be a whole number from 0 to 1000, not [Object: null prototype] {}',
    ],
    [{ onTimeout: 'kill' as never }, `"onTimeout" must be one of abandon, exit, not 'kill'`],
    [{ backoff: { delay: -1 } }, '"backoff.delay" must be'],
    [{ keepCompleted: -1 }, '"keepCompleted" must be'],
  ])('are refused if they are invalid: %j', (options, message) => {
    expect(() => queueSettingsOf(options)).toThrow(message);
  });

  it('may have no timeout', () => {
    expect(queueSettingsOf({ timeout: Number.POSITIVE_INFINITY }).timeout).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('names', () => {
  it.each(['exports', 'a-b_C9', 'x'.repeat(50)])('are accepted for queues: %s', (name) => {
    expect(queueNameOf(name)).toBe(name);
  });

  it.each(['', 'a b', 'a:b', 'x'.repeat(51), undefined, 5])('are refused for queues: %j', (name) => {
    expect(() => queueNameOf(name)).toThrow('is not a name for a queue');
  });

  it.each(['order-17', '17', 'user:17', 'a b', 'ä€😀', 'x'.repeat(200)])('are accepted for tasks: %s', (id) => {
    expect(addOptionsOf({ id }).id).toBe(id);
  });

  it.each(['', 'a\nb', 'a\0', '\ud83d', 'x'.repeat(201), null, 5])('are refused for tasks: %j', (id) => {
    expect(() => addOptionsOf({ id: id as string })).toThrow('is not an id for a task');
  });

  it('are random for tasks by default', () => {
    expect(addOptionsOf({}).id).not.toBe(addOptionsOf({}).id);
    expect(addOptionsOf({})).toMatchObject({ delay: 0, priority: 0 });
  });

  it.each([{ priority: -1 }, { priority: 1_001 }, { delay: -1 }, { delay: Number.MAX_SAFE_INTEGER }])(
    'are refused with the options %j',
    (options) => {
      expect(() => addOptionsOf(options)).toThrow('must be a whole number');
    },
  );
});

describe('a store', () => {
  it.each([null, {}, 'redis://localhost', 5])('cannot be %j', (store) => {
    expect(() => storeOf(store)).toThrow('"store" must be a store, such as sqliteStore() returns');
  });
});
