// What the store in Redis decides.
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { redisStore } from '../../../src/queue/index.ts';
import { redisAddressOf } from '../../../src/queue/stores/redis/address.ts';
import { storeError } from '../../../src/queue/stores/redis/errors.ts';

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
    [{ sentinels: [{ host: 'one', port: 26379 }, { host: 'two' }], name: 'shop' }, 'one:26379, two:26379 (shop)'],
    [{ duplicate: () => {}, options: { host: 'example.com', port: 1 } }, 'example.com:1'],
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
    expect(() => redisStore({ connection: {}, prefix: '' })).toThrow('"prefix" must be a text without braces, not ""');
    expect(() => redisStore({ connection: {}, prefix: '{a}' })).toThrow('"prefix" must be a text without braces');
  });
});
