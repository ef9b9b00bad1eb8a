// What `--since` understands.
import { expect, it } from 'vitest';
import { parseMoment } from '../../../../src/cli/args/moment.ts';

const now = new Date(2026, 10, 21, 18, 20, 5).getTime();

it.each([
  ['10m', now - 600_000],
  ['1h30m', now - 5_400_000],
  ['1.5h', now - 5_400_000],
  ['2d', now - 172_800_000],
  ['18:00', new Date(2026, 10, 21, 18).getTime()],
  ['9:00:05', new Date(2026, 10, 21, 9, 0, 5).getTime()],
  ['2026-11-20', new Date(2026, 10, 20).getTime()],
  ['2026-11-20 18:00', new Date(2026, 10, 20, 18).getTime()],
  ['2026-11-20T18:00', new Date(2026, 10, 20, 18).getTime()],
  ['2026-11-20T18:00:00Z', Date.UTC(2026, 10, 20, 18)],
  ['2026-11-20T18:00:00+01:00', Date.UTC(2026, 10, 20, 17)],
  ['1700000000', 1_700_000_000_000],
])('--since accepts %s', (text, expected) => {
  expect(parseMoment(text, now)).toBe(expected);
});

it.each(['', 'soon', '10', '10x', '24:00', '12:61', '2026-13-01', '-10m'])(
  '--since rejects %j and names the accepted forms',
  (text) => {
    expect(() => parseMoment(text, now)).toThrow(/must be a duration such as 10m .*, or a time such as 18:00.*, not/);
  },
);
