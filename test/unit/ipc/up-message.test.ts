// What a process may say to the daemon, row by row.
import { describe, expect, it } from 'vitest';
import { expectRenderable, parseUpMessage } from '../../../src/ipc/up-message.ts';
import {
  longestBroadcast,
  longestCounts,
  longestPart,
  marker,
  type UpMessage,
} from '../../../src/ipc/worker-messages.ts';
import { bindRequest as address, goodMessages as good } from '../../helpers/up-messages.ts';

const long = 'x'.repeat(1_001);
const bad: [type: UpMessage['type'], fields: object, detail: string][] = [
  ['bind', { seq: '1' }, '"seq" must be a whole number'],
  ['bind', { address: null }, '"address" must be an object'],
  ['bind', { address: { ...address, kind: 'file' } }, '"kind" must be one of tcp, pipe, udp4, udp6'],
  ['bind', { address: { ...address, port: '80' } }, '"port" must be a whole number'],
  ['bind', { address: { ...address, host: ['::1'] } }, '"host" must be a string'],
  ['bind', { address: { kind: 'pipe', path: long, index: 0 } }, '"path" is longer than 1000 characters'],
  ['bind', { address: { ...address, index: -1 } }, '"index" must be a whole number'],
  ['listening', { key: 1 }, '"key" must be a string'],
  ['listening', { address: long }, '"address" is longer'],
  ['closed', { key: undefined }, '"key" must be a string'],
  ['accepted', { seq: 0.5 }, '"seq" must be a whole number'],
  ['declined', { seq: Number.NaN }, '"seq" must be a whole number'],
  ['in-flight', { count: 'many' }, '"count" must be a whole number'],
  ['in-flight', { count: -1 }, '"count" must be a whole number'],
  ['in-flight', { count: 2 ** 53 }, '"count" must be a whole number'],
  ['remaining', { waitsFor: null }, '"waitsFor" must be an object'],
  ['remaining', { waitsFor: { ...Array.from({ length: 51 }, () => 1) } }, '"waitsFor" must have at most 50 entries'],
  ['remaining', { waitsFor: { Timeout: '2' } }, '"waitsFor" must be a whole number'],
  ['remaining', { waitsFor: { [long]: 1 } }, '"waitsFor" is longer than 1000 characters'],
  ['remaining', { connected: '10.0.0.1:5432' }, '"connected" must be a list'],
  ['remaining', { failed: [7] }, '"failed" must be a string'],
  ['handled-error', { kind: 'warning' }, '"kind" must be one of exception, rejection'],
  ['request-limit', { requests: {} }, '"requests" must be a whole number'],
  ['leaving', { by: 'me' }, '"by" must be one of app, signal'],
  ['leaving', { reason: null }, '"reason" must be a string'],
  ['readiness', { reason: 7 }, '"reason" must be a string'],
  ['watchdog', { name: {} }, '"name" must be a string'],
  ['watchdog', { since: -1 }, '"since" must be a whole number'],
  ['reconnected', { mark: 1 }, '"mark" must be a string'],
  ['reconnected', { pid: '1' }, '"pid" must be a whole number'],
  ['return-socket', { mode: 'mine' }, '"mode" must be one of handle, handed'],
  ['return-socket', { origin: null }, '"origin" must be a whole number'],
  ['return-socket', { origin: long }, '"origin" is longer'],
  ['answer', { question: -1 }, '"question" must be a whole number'],
  ['answer', { step: 'over' }, '"step" must be one of begun, part, done, refused'],
  ['answer', { text: 'x'.repeat(longestPart + 1) }, '"text" is longer than 65536 characters'],
  ['settings-held', { version: -1 }, '"version" must be a whole number'],
  ['settings-vote', { proposal: null }, '"proposal" must be a whole number'],
  ['settings-vote', { reason: 7 }, '"reason" must be a string'],
  ['broadcast', { text: { a: 1 } }, '"text" must be a string'],
  ['broadcast', { text: 'x'.repeat(longestBroadcast + 1) }, '"text" is longer than 65536 characters'],
  ['broadcasts-received', { count: -3 }, '"count" must be a whole number'],
  ['ask-instances', { seq: 'x' }, '"seq" must be a whole number'],
  ['queue', { name: 'two words' }, '"name" must be 1 to 50 letters, digits, "_" and "-"'],
  ['queue', { name: 'x'.repeat(51) }, '"name" must be 1 to 50 letters'],
  ['queue', { place: long }, '"place" is longer than 1000 characters'],
  ['queue', { owner: 7 }, '"owner" must be 1 to 50 letters'],
  ['queue', { part: 'owns' }, '"part" must be one of closed, open, works'],
  ['counters', { text: [] }, '"text" must be a string'],
  ['counters', { text: 'x'.repeat(longestCounts + 1) }, '"text" is longer than 65536 characters'],
];

describe('a message of a process', () => {
  it.each(Object.entries(good))('is accepted unchanged: %s', (_type, message) => {
    expect(parseUpMessage(structuredClone(message))).toEqual(message);
  });

  it.each(bad)('is refused with the reason: %s %j', (type, fields, detail) => {
    const parse = () => parseUpMessage({ ...good[type], ...fields });
    expect(parse).toThrow(TypeError);
    expect(parse).toThrow(`a malformed message "${type}": ${detail}`);
  });

  it.each([null, 1, 'ready', [], {}, { cmd: 'NODE_OTHER' }])('is refused without the marker: %j', (message) => {
    expect(() => parseUpMessage(message)).toThrow('not a message of nsv');
  });

  it.each(['constructor', '__proto__', 'granted', 7, undefined])('is refused when its type is %j', (type) => {
    expect(() => parseUpMessage({ cmd: marker, type })).toThrow('a message of an unknown type');
  });

  it('loses unknown fields', () => {
    expect(parseUpMessage({ ...good.draining, more: 1 })).toEqual(good.draining);
    expect(parseUpMessage({ ...good.bind, address: { ...address, more: 1 } })).toEqual(good.bind);
  });

  it('loses `canLeave` of a socket if it is invalid', () => {
    const { canLeave: _, ...bare } = good.listening;
    expect(parseUpMessage(bare)).toEqual(bare);
    expect(parseUpMessage({ ...bare, canLeave: 'yes' })).toEqual(bare);
  });

  it('has a reason of limited length', () => {
    expect(parseUpMessage({ ...good.leaving, reason: 'x'.repeat(5_000) })).toMatchObject({ reason: 'x'.repeat(1_000) });
  });
});

/** What JSON can put in place of a field. `undefined` leaves it out. */
const anything = [
  undefined,
  null,
  true,
  'true',
  '',
  '0',
  'x'.repeat(100_000),
  0,
  -1,
  0.5,
  2 ** 53,
  1e300,
  [],
  [1],
  {},
  { toString: 1 },
  JSON.parse('{"__proto__": {"seq": 1}, "length": 1}'),
];
const optional = [
  'canLeave',
  'isIdle',
  'speaks',
  'by',
  'host',
  'port',
  'path',
  'ipv6Only',
  'direct',
  'settings-vote reason',
  'accepted open',
];
const fields = Object.values(good).flatMap(({ cmd: _, type, ...rest }) =>
  Object.keys(rest)
    .filter((name) => name !== 'address')
    .map((name) => [type, name]),
);
const addressFields = ['kind', 'index', 'host', 'port', 'path', 'ipv6Only', 'direct'];

describe('any value of a field', () => {
  const isLegal = (value: unknown, name: string, type: string): boolean => {
    if (value === undefined) return optional.includes(name) || optional.includes(`${type} ${name}`);
    if (value === null) return name === 'since' || name === 'open';
    if (typeof value === 'object') return Object.values(value).every((inner) => isLegal(inner, '', type));
    if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0;
    return typeof value === 'boolean' || (typeof value === 'string' && value.length <= longestPart);
  };
  const outcome = (input: object): Record<string, unknown> | string => {
    try {
      return { ...parseUpMessage(JSON.parse(JSON.stringify(input))) };
    } catch (error) {
      return error instanceof TypeError ? error.message : `not a TypeError: ${error}`;
    }
  };

  it.each(fields)('is refused by its name or has the right type: "%s", "%s"', (type, name) => {
    for (const value of anything) {
      const result = outcome({ ...good[type as UpMessage['type']], [name!]: value });
      if (typeof result === 'string') expect(result).toContain(`a malformed message "${type}": "${name}"`);
      else expect([name, value, isLegal(result[name!], name!, type!)]).toEqual([name, value, true]);
    }
  });

  it.each(addressFields)('is refused by its name or has the right type in the address of "bind": "%s"', (name) => {
    for (const value of anything) {
      const result = outcome({ ...good.bind, address: { ...address, [name]: value } });
      if (typeof result === 'string') expect(result).toContain(`a malformed message "bind": "${name}"`);
      else
        expect([name, value, isLegal((result.address as typeof result)[name], name, 'address')]).toEqual([
          name,
          value,
          true,
        ]);
    }
  });
});

describe('a message of the app', () => {
  const nested = (levels: number): unknown => (levels === 0 ? 1 : { data: nested(levels - 1) });

  it('may be anything that can be rendered again', () => {
    for (const message of [null, 'ready', 7, [[]], nested(200)]) expectRenderable(message);
  });

  it('is refused when it is nested too deeply for that', () => {
    expect(() => expectRenderable(nested(201))).toThrow('more than 200 levels');
    expect(() => expectRenderable(JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`))).toThrow('200 levels');
  });
});
