// What was printed, out of a formatted log.
import { describe, expect, it } from 'vitest';
import type { LineFormat } from '../../../../src/config/logs.ts';
import { plainLines } from '../../../../src/daemon/process/death/ending.ts';
import { createRenderer } from '../../../../src/logs/line-renderer.ts';

const printed = ['/app/web.js:3', "  throw new Error('x: y');", '  ^', 'Error: x: y', '    at run (/app/web.js:3:9)'];
const base: LineFormat = { json: false, merge: false, date: null, prefix: false };
const at = 1_700_000_000_000;

describe('the lines of a log', () => {
  it.each<[string, Partial<LineFormat>]>([
    ['with a time', { date: 'YYYY-MM-DDTHH:mm:ss.SSSZ' }],
    ['with a prefix', { prefix: true }],
    ['with a time and a prefix', { date: 'D. M. YYYY', prefix: true }],
    ['in JSON', { json: true }],
    ['in JSON, merged', { json: true, merge: true }],
  ])('are those that the program has printed: %s', (_how, rest) => {
    const format = { ...base, ...rest };
    const { render, encoding } = createRenderer(format, { app: 'web', slot: 1, pid: 7, level: 'err' });
    const text = Buffer.from(render(Buffer.from(`${printed.join('\n')}\n`), at, false), encoding).toString();
    const where = { app: 'web', slot: 1, wall: at + 9 * 24 * 3_600_000 };
    expect(plainLines(text.slice(0, -1).split('\n'), format, where)).toEqual(printed);
  });

  it.each([undefined, { ...base, prefix: true }])('have no colours: %j', (format) => {
    const line = `${format ? 'web|1 | ' : ''}\x1b[1m\x1b[31merror\x1b[0m: no database`;
    expect(plainLines([line], format, { app: 'web', slot: 1, wall: at })).toEqual(['error: no database']);
  });

  it('are unchanged if they have another format', () => {
    expect(plainLines(['{"level":3}', 'text'], { ...base, json: true }, { app: 'a', slot: 0, wall: at })).toEqual([
      '{"level":3}',
      'text',
    ]);
    expect(plainLines(printed, undefined, { app: 'a', slot: 0, wall: at })).toEqual(printed);
  });
});
