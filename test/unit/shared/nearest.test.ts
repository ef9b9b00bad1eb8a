import { expect, it } from 'vitest';
import { nearest } from '../../../src/shared/nearest.ts';

it.each([
  ['lsit', 'list'],
  ['strat', 'start'],
  ['restrat', 'restart'],
  ['log', 'logs'],
  ['xyzzy', undefined],
  ['q', undefined],
])('%s is probably %s', (word, meant) => {
  expect(nearest(word, ['start', 'restart', 'list', 'logs', 'id'])).toBe(meant);
});
