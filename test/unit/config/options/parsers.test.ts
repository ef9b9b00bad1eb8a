import { describe, expect, it } from 'vitest';
import { instanceCountOf } from '../../../../src/config/instances.ts';
import {
  BadValue,
  booleanFlag,
  duration,
  environment,
  integer,
  likeTheLast,
  limit,
  listOf as list,
  listenAddress,
  memoryCeiling,
  oneOf,
  optional,
  type Parser,
  signalName as signal,
  size,
  text,
  texts,
} from '../../../../src/config/options/parsers.ts';

type Case = [parser: string, parse: Parser<unknown>, input: unknown, value: unknown];

describe('a setting is read', () => {
  it.each<Case>([
    ['text', text, 'web', 'web'],
    ['flag', booleanFlag, false, false],
    ['duration', duration, 500, 500],
    ['duration', duration, '500', 500],
    ['duration', duration, '5s', 5_000],
    ['duration', duration, '1.5m', 90_000],
    ['duration', duration, '24d', 24 * 86_400_000],
    ['size', size, '300M', 300 * 1024 ** 2],
    ['size', size, '1.5G', 1.5 * 1024 ** 3],
    ['size', size, 4096, 4096],
    ['memoryCeiling', memoryCeiling, '80%', '80%'],
    ['memoryCeiling', memoryCeiling, ' 33.33 %', '33.33%'],
    ['memoryCeiling', memoryCeiling, '100%', '100%'],
    ['memoryCeiling', memoryCeiling, '300M', 300 * 1024 ** 2],
    ['memoryCeiling', memoryCeiling, 4096, 4096],
    ['integer', integer(1, 10), 10, 10],
    ['integer', integer(1, 10), '3', 3],
    ['integer', integer(-10, 10), '-3', -3],
    ['limit', limit, 'unlimited', Number.MAX_SAFE_INTEGER],
    ['limit', limit, Number.POSITIVE_INFINITY, Number.MAX_SAFE_INTEGER],
    ['limit', limit, '0', 0],
    ['oneOf', oneOf('a', 'b'), 'b', 'b'],
    ['signal', signal, 'SIGTERM', 'SIGTERM'],
    ['signal', signal, 'term', 'SIGTERM'],
    ['signal', signal, 15, 'SIGTERM'],
    ['signal', signal, '9', 'SIGKILL'],
    ['list', list(integer(0)), '0, 3,', [0, 3]],
    ['list', list(integer(0)), ['1', 2], [1, 2]],
    ['list', list(integer(0)), 7, [7]],
    ['list', list(text), '', []],
    ['texts', texts, ['a', ''], ['a', '']],
    ['environment', environment, { A: '1' }, { A: '1' }],
    ['listenAddress', listenAddress, '8080', { port: 8080 }],
    ['listenAddress', listenAddress, 8080, { port: 8080 }],
    ['listenAddress', listenAddress, '127.0.0.1:80', { host: '127.0.0.1', port: 80 }],
    ['listenAddress', listenAddress, '[::1]:80', { host: '::1', port: 80 }],
    ['listenAddress', listenAddress, '/run/web.sock', { path: '/run/web.sock' }],
    ['listenAddress', listenAddress, { port: 80, host: '::' }, { port: 80, host: '::' }],
    ['instances', instanceCountOf, '4', 4],
    ['instances', instanceCountOf, 'max', 'max'],
    ['instances', instanceCountOf, 0, 'max'],
    ['instances', instanceCountOf, '-2', '-2'],
    ['instances', instanceCountOf, '0', 'max'],
    ['instances', instanceCountOf, -2, '-2'],
    ['instances', instanceCountOf, '-10000', '-10000'],
    ['optional', optional(size), null, undefined],
    ['optional', optional(size), '1k', 1024],
  ])('%s of $3 from $2', (_, parse, input, value) => {
    expect(parse(input)).toEqual(value);
  });
});

describe('a setting is refused, with its value', () => {
  it.each<[parser: string, parse: Parser<unknown>, input: unknown]>([
    ['text', text, ''],
    ['text', text, 'a\0b'],
    ['text', text, 3],
    ['flag', booleanFlag, 'yes'],
    ['duration', duration, 'soon'],
    ['duration', duration, '-1s'],
    ['duration', duration, '25d'],
    ['duration', duration, Number.NaN],
    ['size', size, '0'],
    ['size', size, 'big'],
    ['memoryCeiling', memoryCeiling, '0%'],
    ['memoryCeiling', memoryCeiling, '101%'],
    ['memoryCeiling', memoryCeiling, '%'],
    ['memoryCeiling', memoryCeiling, -1],
    ['integer', integer(1, 10), 11],
    ['integer', integer(1, 10), 0],
    ['integer', integer(0), '1.5'],
    ['integer', integer(0), '-1'],
    ['limit', limit, 'none'],
    ['limit', limit, Number.NaN],
    ['oneOf', oneOf('a', 'b'), 'c'],
    ['signal', signal, 'SIGWHAT'],
    ['signal', signal, '0'],
    ['signal', signal, 'toString'],
    ['list', list(integer(0)), '1,x'],
    ['texts', texts, 'a'],
    ['texts', texts, [1]],
    ['environment', environment, { A: 1 }],
    ['environment', environment, ['A=1']],
    ['listenAddress', listenAddress, '65536'],
    ['listenAddress', listenAddress, 'web.sock'],
    ['listenAddress', listenAddress, '::1:80'],
    ['instances', instanceCountOf, 'all'],
    ['instances', instanceCountOf, '1.5'],
    ['instances', instanceCountOf, -1.5],
    ['instances', instanceCountOf, '-0'],
    ['instances', instanceCountOf, ''],
    ['instances', instanceCountOf, '10001'],
    ['instances', instanceCountOf, '-10001'],
  ])('%s of $2', (_, parse, input) => {
    expect(() => parse(input)).toThrow(BadValue);
    expect(() => parse(input)).toThrow(/^must be .+, not ./);
  });
});

describe('the environment of several apps', () => {
  const parse = likeTheLast(environment);
  const of = (rest: Record<string, string> = {}) => ({ SHELL: '/bin/sh', HOME: '/root', ...rest });

  it('is one object as long as it is the same', () => {
    const first = parse(of());
    expect(parse({ HOME: '/root', SHELL: '/bin/sh' })).toBe(first);
    expect(first).toEqual(of());
  });

  it.each([
    ['another value', of({ HOME: '/home/web' })],
    ['one more variable', of({ PORT: '3000' })],
    ['one variable less', { SHELL: '/bin/sh' }],
    ['none', {}],
    ['a name that objects have', of({ constructor: 'x', ['__proto__']: 'y' })],
  ])('is another with %s', (_what, env) => {
    const first = parse(of());
    expect(parse(env)).toEqual(env);
    expect(first).toEqual(of());
    expect(parse(of())).toEqual(of());
  });
});

it('an invalid environment is reported by the name of a variable, without any values', () => {
  expect(() => environment({ PASSWORD: 'secret', NUMBER: 1 })).toThrow(
    'must be an object of strings, not one where NUMBER is something else',
  );
});
