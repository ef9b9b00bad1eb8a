import { describe, expect, it } from 'vitest';
import type { LineFormat } from '../../../src/config/logs.ts';
import { createRenderer } from '../../../src/logs/line-renderer.ts';

const origin = { app: 'web', slot: 1, pid: 42, level: 'out' } as const;
const text: LineFormat = { json: false, merge: false, date: null, prefix: false };
const json: LineFormat = { ...text, json: true };
const at = Date.UTC(2026, 10, 21, 18, 20, 5, 123);

function rendered(format: LineFormat, lines: string | Buffer, isPiece = false): Buffer {
  const { render, encoding } = createRenderer(format, origin);
  return Buffer.from(render(Buffer.from(lines), at, isPiece), encoding);
}

const objects = (format: LineFormat, lines: string | Buffer) =>
  rendered(format, lines)
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('a line of text', () => {
  it.each<[string, Partial<LineFormat>, string]>([
    ['the time', { date: 'x' }, `${at}: one\n${at}: \n`],
    ['name and slot', { prefix: true }, 'web|1 | one\nweb|1 | \n'],
    ['both', { date: '[$&]', prefix: true }, '$&: web|1 | one\n$&: web|1 | \n'],
  ])('has %s before it', (_title, part, expected) => {
    expect(rendered({ ...text, ...part }, 'one\n').toString()).toBe(expected);
  });

  it('keeps bytes that are not text, and carriage returns', () => {
    const bytes = Buffer.from([0xff, 0x00, 0xc3, 0x0d, 0x0a, 0xfe]);
    const expected = Buffer.concat([
      Buffer.from('web|1 | '),
      bytes.subarray(0, 5),
      Buffer.from('web|1 | '),
      Buffer.from([0xfe, 0x0a]),
    ]);
    expect(rendered({ ...text, prefix: true }, bytes)).toEqual(expected);
  });

  it('may have a date with letters of any alphabet', () => {
    expect(rendered({ ...text, date: '[€]' }, 'ü').toString()).toBe('€: ü\n');
  });
});

describe('a line in JSON', () => {
  it('contains its origin', () => {
    expect(rendered(json, 'one').toString()).toBe(
      '{"time":"2026-11-21T18:20:05.123Z","level":"out","app":"web","slot":1,"pid":42,"message":"one"}\n',
    );
  });

  it.each([
    ['quotes and control characters', 'a"b\\c\u0000\u001b[1m', 'a"b\\c\u0000\u001b[1m'],
    ['a carriage return at its end', 'a\rb\r', 'a\rb'],
    ['nothing', '', ''],
    ['bytes that are not text', Buffer.from([0x61, 0xff, 0xc3]), 'a\ufffd\ufffd'],
  ])('may have %s', (_title, line, message) => {
    expect(objects(json, line)).toMatchObject([{ message }]);
  });

  it('is a separate object, even after a line that ends with a broken character', () => {
    expect(objects(json, Buffer.from([0xe2, 0x82, 0x0a, 0x62]))).toMatchObject([
      { message: '\ufffd' },
      { message: 'b' },
    ]);
  });

  it('has the time in the format of the user', () => {
    expect(objects({ ...json, date: 'X' }, 'one')).toMatchObject([{ time: String(Math.floor(at / 1_000)) }]);
  });

  it('is marked as partial if it is not the end of its line', () => {
    expect(rendered(json, 'one', true).toString()).toContain('"message":"one","partial":true}\n');
  });

  it('is not merged by default', () => {
    expect(objects(json, '{"msg":"x"}')).toMatchObject([{ message: '{"msg":"x"}' }]);
  });
});

describe('a line that is a JSON object', () => {
  const merge: LineFormat = { ...json, merge: true };

  it('keeps its fields, and is given those it lacks', () => {
    expect(objects(merge, '{"level":30,"time":5,"msg":"x"}\r')).toEqual([
      { app: 'web', slot: 1, pid: 42, level: 30, time: 5, msg: 'x' },
    ]);
  });

  it('keeps numbers that JavaScript cannot hold', () => {
    expect(rendered(merge, '{"n":12345678901234567890}').toString()).toContain('"pid":42,"n":12345678901234567890}\n');
  });

  it.each([
    ['is empty', ' { } ', { app: 'web', pid: 42 }],
    ['has all fields', '{"time":1,"level":2,"app":3,"slot":4,"pid":5}', { time: 1, level: 2, app: 3, slot: 4, pid: 5 }],
    ['only looks like one', '{"msg":', { message: '{"msg":' }],
    ['is a list', '[1]', { message: '[1]' }],
    ['has a prototype', '{"__proto__":1}', { app: 'web' }],
  ])('may be one that %s', (_title, line, expected) => {
    expect(objects(merge, line)).toMatchObject([expected]);
  });
});
