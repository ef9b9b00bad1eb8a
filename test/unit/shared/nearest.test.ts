import { expect, it } from 'vitest';
import { nearest } from '../../../src/shared/nearest.ts';

it.each([
  ['lsit', 'list'],
  ['strat', 'start'],
  ['restrat', 'restart'],
  ['log', 'logs'],
  ['xyzzy', undefined],
  ['q', undefined],
  // They would lead to harm or nonsense.
  ['report', undefined],
  ['plus', undefined],
  ['--cron', undefined],
  ['--wacth', '--watch'],
])('the suggestion for %s is %s', (word, meant) => {
  expect(nearest(word, ['start', 'restart', 'list', 'ls', 'logs', 'id', '--json', '--watch'])).toBe(meant);
});
