import { describe, expect, it } from 'vitest';
import {
  changedKeys,
  maskSecrets,
  parseRuntimeKey,
  parseRuntimeValues,
  runtimeLimits,
} from '../../../../src/ipc/app/runtime-settings.ts';

/** An object with this many levels. */
const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) });
const wide = (keys: number) => Object.fromEntries(Array.from({ length: keys }, (_, at) => [`k${at}`, at]));

describe('runtime settings', () => {
  it.each([{}, { a: 1, b: 'x', c: null, d: [true, { e: 2 }] }, wide(runtimeLimits.keys), nested(runtimeLimits.depth)])(
    'are accepted unchanged: %#',
    (values) => expect(parseRuntimeValues(values)).toEqual(values),
  );

  it.each([
    [null, 'they must be an object'],
    [[1], 'they must be an object'],
    ['x', 'they must be an object'],
    [wide(runtimeLimits.keys + 1), 'they have more than 200 keys'],
    [nested(runtimeLimits.depth + 1), 'more than 10 levels'],
    [{ a: 'é'.repeat(runtimeLimits.bytes / 2) }, '65536 are allowed'],
    [{ '': 1 }, '"" cannot be a key'],
    [{ 'a=b': 1 }, '"a=b" cannot be a key'],
    [JSON.parse('{"__proto__":1}'), '"__proto__" cannot be a key'],
    [{ ['x'.repeat(101)]: 1 }, 'longer than 100 characters'],
  ])('are refused with the reason, and without a value: %#', (values, reason) => {
    expect(() => parseRuntimeValues(values)).toThrow(reason);
  });

  it('must have keys that are text', () => {
    expect(() => parseRuntimeKey(7)).toThrow('7 cannot be a key');
    expect(parseRuntimeKey('a.b-c')).toBe('a.b-c');
  });

  it('are masked where they are secret, at any level', () => {
    const values = { db: { Password: 'x', host: 'h' }, list: [{ apiToken: 'x' }], keys: { a: 1 }, limit: 5 };
    expect(maskSecrets(values)).toEqual({
      db: { Password: '********', host: 'h' },
      list: [{ apiToken: '********' }],
      keys: '********',
      limit: 5,
    });
  });

  it('are compared by key', () => {
    expect(changedKeys({ a: 1, b: [1], c: 1 }, { a: 1, b: [2], d: 1 })).toEqual(['b', 'c', 'd']);
  });
});
