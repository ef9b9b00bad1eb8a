import { describe, expect, it } from 'vitest';
import {
  firstPause,
  heed,
  intervalOf,
  type ProbeAnswer,
  type ProbeStanding,
} from '../../../../src/daemon/probes/standing.ts';

const rules = { failures: 3, successes: 2 };
const answers: Record<string, ProbeAnswer> = { '+': { ok: true }, '-': { ok: false, why: 'no' } };

/** Whether the process counts as good after each of the answers. */
function seen(first: boolean, said: string): string {
  let standing: ProbeStanding = { good: first, against: 0 };
  return [...said]
    .map((one) => {
      standing = heed(standing, answers[one]!, rules);
      return standing.good ? 'g' : 'b';
    })
    .join('');
}

describe('a process', () => {
  it.each([
    ['+++', true, 'ggg'],
    ['---', true, 'ggb'],
    ['--+--+---', true, 'ggggggggb'],
    ['---+-++', true, 'ggbbbbg'],
    ['-+-+', false, 'bbbb'],
    ['-++---', false, 'bbgggb'],
  ])('is judged by its answers: %s, good before: %s, gives %s', (said, first, expected) => {
    expect(seen(first, said)).toBe(expected);
  });
});

describe('the time between two probes', () => {
  it('is shorter while the process is awaited', () => {
    expect(intervalOf({ interval: 10_000 }, false, false)).toBe(10_000);
    expect(intervalOf({ interval: 10_000 }, true, false)).toBe(250);
    expect(intervalOf({ interval: 10_000 }, true, true)).toBe(1_000);
    expect(intervalOf({ interval: 100 }, true, true)).toBe(100);
  });

  it('begins with a pause that spreads a hundred processes over the interval, whatever their first id', () => {
    for (const begin of [0, 7, 1_000]) {
      const pauses = Array.from({ length: 100 }, (_, index) => firstPause({ interval: 10_000 }, begin + index)).sort(
        (a, b) => a - b,
      );
      expect(pauses[0]).toBeGreaterThanOrEqual(0);
      expect(pauses.at(-1)).toBeLessThan(10_000);
      expect(pauses.at(-1)).toBeGreaterThan(9_700);
      const gaps = pauses.slice(1).map((pause, index) => pause - pauses[index]!);
      expect(Math.max(...gaps)).toBeLessThan(300);
    }
  });
});
