// What the program says that looks into a blocked process. It repeats names that the app has chosen.
import { describe, expect, it } from 'vitest';
import { parseStackReport } from '../../../../src/client/stacks/report.ts';

const frame = { function: 'culprit', file: '/app.js', line: 3, column: null };

describe('a report about a stack', () => {
  it.each([
    { type: 'signalled', from: 4_096 },
    { type: 'stack', frames: [frame], at: 'culprit (/app.ts:7)' },
    { type: 'none', problem: 'it is stopped' },
  ])('is read: %j', (report) => {
    expect(parseStackReport(structuredClone(report), 'report')).toEqual(report);
  });

  it.each([
    ['no JSON', 'Error: Cannot find module'],
    ['null', 'null'],
    ['an unknown type', '{"type":"other"}'],
    ['a length that is none', '{"type":"signalled","from":-1}'],
    ['a frame without a file', JSON.stringify({ type: 'stack', at: '', frames: [{ ...frame, file: undefined }] })],
    ['a line that is no number', JSON.stringify({ type: 'stack', at: '', frames: [{ ...frame, line: '3' }] })],
    ['too many frames', JSON.stringify({ type: 'stack', at: '', frames: Array(101).fill(frame) })],
    ['a long name', JSON.stringify({ type: 'none', problem: 'x'.repeat(2_000) })],
  ])('is refused if it is %s', (_what, line) => {
    expect(() => parseStackReport(JSON.parse(line), 'report')).toThrow();
  });
});
