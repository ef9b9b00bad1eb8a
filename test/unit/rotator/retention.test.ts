import { expect, it } from 'vitest';
import { overQuota } from '../../../src/rotator/retention.ts';

const files = [30, 20, 10].map((bytes, index) => ({ path: `newest-${index}`, bytes }));

it.each([
  ['nothing when all fit', 0, 60, []],
  ['the oldest', 0, 59, ['newest-2']],
  ['all after the first that does not fit, though a smaller one would', 10, 50, ['newest-1', 'newest-2']],
  ['all when the rest fills the limit alone', 100, 50, ['newest-0', 'newest-1', 'newest-2']],
  ['nothing without a limit', 100, 0, []],
])('retention deletes %s', (_, present, most, expected) => {
  expect(overQuota(files, present, most).map(({ path }) => path)).toEqual(expected);
});
