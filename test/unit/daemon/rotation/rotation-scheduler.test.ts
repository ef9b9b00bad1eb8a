import { expect, it } from 'vitest';
import { fastest, paceOf, second, slowest } from '../../../../src/daemon/rotation/rotation-scheduler.ts';

it.each([
  ['one that is seen for the first time', { size: 5, before: undefined, limit: 100 }, second],
  ['one that does not grow', { size: 5, before: { size: 5, elapsed: 1_000 }, limit: 100 }, slowest],
  ['one without a limit', { size: 500, before: { size: 5, elapsed: 1_000 }, limit: 0 }, slowest],
  ['one that is full in four seconds', { size: 20, before: { size: 0, elapsed: 1_000 }, limit: 100 }, 2_000],
  ['one that was emptied and grows as fast', { size: 20, before: { size: 90, elapsed: 1_000 }, limit: 100 }, 2_000],
  ['one that is full in a moment', { size: 99, before: { size: 0, elapsed: 1_000 }, limit: 100 }, fastest],
  ['one that is full', { size: 300, before: { size: 0, elapsed: 1_000 }, limit: 100 }, fastest],
  ['one that is full next week', { size: 2, before: { size: 1, elapsed: 1_000 }, limit: 1e9 }, slowest],
])('a log file is checked again half-way to its limit: %s', (_, growth, expected) => {
  expect(paceOf(growth)).toBe(expected);
});
