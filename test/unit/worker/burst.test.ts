import { describe, expect, it } from 'vitest';
import { Burst } from '../../../src/worker/sockets/burst.ts';

/** The pauses of a process that takes a connection at each of these times, in milliseconds. */
function pauses(others: number, times: readonly number[]): number[] {
  const burst = new Burst();
  return times.map((time) => Math.round(burst.pauseAfter(time, others) * 10) / 10);
}

const every = (ms: number, count: number) => Array.from({ length: count }, (_, index) => 1_000_000 + index * ms);

describe('a process that takes connections', () => {
  it.each([
    ['the first after long', 3, every(0, 1), [0]],
    ['one by one', 3, every(25, 4), [0, 0, 0, 0]],
    ['two close to each other, and later two more', 1, [0, 5, 500, 505], [0, 0.8, 0, 0.8]],
    ['at once, with one other', 1, every(0, 5), [0, 1, 1.5, 2, 2.5]],
    ['at once, with three others', 3, every(0, 5), [0, 1.5, 2.3, 3, 3.8]],
    ['at once, with many others', 15, every(0, 8), [0, 7.5, 11.3, 15, 18.8, 20, 20, 20]],
  ])('lets others accept: %s', (_, others, times, expected) => {
    expect(pauses(others, times)).toEqual(expected);
  });

  it.each([
    [1, 8, 18],
    [3, 16, 110],
    [15, 16, 280],
  ])(
    'with %i others: pauses only briefly once they have had their turns, and later not at all',
    (others, enough, most) => {
      const all = pauses(others, every(0, 80));
      const [long, short, none] = [all.slice(1, enough), all.slice(enough, 64), all.slice(64)];
      expect(Math.min(...long)).toBeGreaterThanOrEqual(1);
      expect(long.at(-1)).toBeGreaterThan(1);
      expect(long.reduce((sum, pause) => sum + pause)).toBeLessThan(most);
      expect([...new Set(short)]).toEqual([1]);
      expect([...new Set(none)]).toEqual([0]);
    },
  );

  it('asks about each of a few, and not while they come fast', () => {
    const burst = new Burst();
    const isOn = every(0, 4).map((time) => {
      burst.pauseAfter(time, 3);
      return burst.isOn;
    });
    expect(isOn).toEqual([false, false, true, true]);
    burst.pauseAfter(1_000_500, 3);
    expect(burst.isOn).toBe(false);
  });
});
