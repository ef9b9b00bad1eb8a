import { expect, it } from 'vitest';
import { readyLine } from '../../../../src/cli/plans/ready.ts';
import { processView } from '../fake-context.ts';

const urls = ['http://localhost:3000'];

it.each([
  [[processView({ ports: ['3000'], urls })], 480.4, 'web is ready on http://localhost:3000 (1 process, 480 ms)'],
  [
    [processView({ ports: ['3000', '9090'], urls }), processView({ ports: ['3000'], urls })],
    12_345,
    'web is ready on http://localhost:3000 (2 processes, 12 s)',
  ],
  [[processView({ ports: ['udp:5353'] })], 1, 'web is ready on udp:5353 (1 process, 1 ms)'],
  [[processView({ ports: [] })], 1_000, 'web is ready (1 process, 1000 ms)'],
])('the ready line shows where the app listens: %#', (processes, ms, expected) => {
  expect(readyLine('web', processes, ms)).toBe(expected);
});
