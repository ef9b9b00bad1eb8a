import { describe, expect, it } from 'vitest';
import { lineTimeOf } from '../../../../src/cli/logs/line-time.ts';

const at = Date.UTC(2026, 10, 21, 18, 20, 5, 123);
const local = new Date(2026, 10, 21, 18, 20, 5, 123).getTime();

describe('a line of a log', () => {
  it.each([
    ['2026-11-21T18:20:05.123Z hello', at],
    ['2026-11-21T18:20:05.123456789Z hello', at],
    ['2026-11-21T19:20:05.123+01:00: hello', at],
    ['2026-11-21T19:20:05.123+0100 hello', at],
    ['2026-11-21 19:20:05.123 +01:00 hello', at],
    ['2026-11-21 18:20:05.123 UTC hello', at],
    ['2026-11-21 18:20:05.123 hello', local],
    ['2026-11-21 18:20:05,123 hello', local],
    ['2026/11/21 18:20:05 hello', local - 123],
    ['2026-11-21T18:20 hello', local - 5123],
    ['[2026-11-21 18:20:05.123] hello', local],
    ['\x1b[32m[2026-11-21T18:20:05.123Z]\x1b[0m hello', at],
  ])('has the time that it begins with: %j', (line, expected) => {
    expect(lineTimeOf(Buffer.from(line))).toBe(expected);
  });

  it.each([
    ['pino', { level: 30, time: at, msg: 'hello' }],
    ['pino with ISO times', { level: 30, time: '2026-11-21T18:20:05.123Z' }],
    ['winston', { message: 'hello', timestamp: '2026-11-21T18:20:05.123Z' }],
    ['zap', { level: 'info', ts: at / 1_000 }],
    ['zap with nanoseconds', { level: 'info', ts: at * 1e6 }],
    ['structlog with microseconds', { event: 'hello', timestamp: at * 1_000 }],
    ['logstash', { '@timestamp': '2026-11-21T18:20:05.123Z' }],
  ])('has the time of its JSON object, as %s writes it', (_, object) => {
    expect(lineTimeOf(Buffer.from(JSON.stringify(object)))).toBe(at);
  });
});

it.each([
  'hello',
  '',
  '    at Object.<anonymous> (/app/index.js:12:34)',
  'since 2026-11-21T18:20:05.123Z',
  '2026-11-21',
  '2026-13-41T18:20:05Z',
  '12:34:56 hello',
  '{ not: "JSON" 2026-11-21T18:20:05Z',
  '{"time":12}',
  '{"request":{"time":1700000000000}}',
  '{"time":null}',
  '{"time":1e300}',
  '{"time":1e999}',
  '{"time":-1e300}',
])('a line of a log has no time: %j', (line) => {
  expect(lineTimeOf(Buffer.from(line))).toBeUndefined();
});
