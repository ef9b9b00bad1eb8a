// What a rotator of another user may say.
import { describe, expect, it } from 'vitest';
import { parseRotationReport, type RotationReport } from '../../../src/ipc/rotator-messages.ts';

const reports: RotationReport[] = [
  { type: 'stopping' },
  { type: 'continued' },
  { type: 'done', id: 1, result: { to: null, bytes: 0, stopped: 0 } },
  { type: 'done', id: 2, result: { to: '/a.log.1', bytes: 10, stopped: 0.5 } },
  { type: 'failed', id: 3, problem: { detail: 'no space', later: true } },
  { type: 'deleted', files: ['/a.log.1', '/a.log.2'] },
  { type: 'trouble', detail: 'no space' },
];

describe('a report', () => {
  it.each(reports)('is accepted unchanged: $type', (report) =>
    expect(parseRotationReport(report, 'report')).toEqual(report),
  );

  it('loses unknown fields', () => {
    expect(parseRotationReport({ type: 'stopping', id: 1, __proto__: null }, 'report')).toEqual({ type: 'stopping' });
  });

  it('has text of a limited length', () => {
    const { detail } = parseRotationReport({ type: 'trouble', detail: 'x'.repeat(1e6) }, 'report') as {
      detail: string;
    };
    expect(detail.length).toBe(4096);
  });

  it.each([
    null,
    [],
    'stopping',
    {},
    { type: 'other' },
    { type: 'done', id: '1', result: { to: null, bytes: 0, stopped: 0 } },
    { type: 'done', id: Number.NaN, result: { to: null, bytes: 0, stopped: 0 } },
    { type: 'done', id: 1 },
    { type: 'done', id: 1, result: { to: 7, bytes: 0, stopped: 0 } },
    { type: 'done', id: 1, result: { to: null, bytes: '0', stopped: 0 } },
    { type: 'failed', id: 1, problem: { later: true } },
    { type: 'deleted', files: 'all' },
    { type: 'deleted', files: [1] },
    { type: 'trouble' },
  ])('is refused: %j', (said) => expect(() => parseRotationReport(said, 'report')).toThrow(TypeError));
});
