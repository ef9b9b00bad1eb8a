// Series of memory as they occur, one level per window of five minutes.
import { describe, expect, it } from 'vitest';
import { leakIn } from '../../../../src/daemon/triggers/growth.ts';

const window = 5 * 60_000;
const mb = 1024 * 1024;

/** Numbers from -1 to 1 that are the same in each run. */
function noise(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 30 - 1;
  };
}

/** After each window: whether the levels so far show a leak, in megabytes an hour. */
function verdicts(megabytes: number[]): number[] {
  const levels = megabytes.map((size, index) => ({ at: index * window, bytes: size * mb }));
  return levels.flatMap((_level, index) => {
    const leak = leakIn(levels.slice(0, index + 1));
    return leak === undefined ? [] : [Math.round(leak / mb)];
  });
}

const hours = (count: number) => Array.from({ length: count * 12 }, (_, index) => index);

describe('no leak is seen in', () => {
  const quiet: [string, (index: number, random: () => number) => number][] = [
    ['a steady heap', (_, random) => 100 + random()],
    ['a saw-tooth that collections have not flattened', (index) => 100 + (index % 5) * 10],
    ['a slow saw-tooth', (index) => 100 + (index % 11) * 4 * (index % 11 < 6 ? 1 : -0.5)],
    ['a warm-up that ends on a plateau', (index, random) => 150 - 100 * Math.exp(-index / 2) + random()],
    ['a cache that fills', (index, random) => 400 - 300 * Math.exp(-index / 3) + random()],
    ['a step', (index, random) => (index < 20 ? 100 : 180) + random() / 2],
    ['two steps', (index, random) => 100 + (index > 10 ? 40 : 0) + (index > 14 ? 40 : 0) + random() / 2],
    ['a load that comes and goes with the day', (index, random) => 200 + 60 * Math.sin(index / 20) * random()],
    ['growth that is smaller than noise', (index) => 100 + index * 0.1],
    ['memory that is given back', (index) => 300 - index],
  ];

  it.each(quiet)('%s', (_what, level) => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const random = noise(seed);
      expect(verdicts(hours(10).map((index) => level(index, random)))).toEqual([]);
    }
  });

  it('fewer windows than are needed', () => {
    expect(
      verdicts(
        hours(1)
          .slice(1)
          .map((step) => step * 100),
      ),
    ).toEqual([]);
  });
});

describe('a leak', () => {
  it('is seen with its speed, which outliers do not change', () => {
    const random = noise(7);
    const found = verdicts(hours(4).map((index) => 100 + index * 2 + random() * 0.5 + (index === 30 ? 9 : 0)));
    expect(found.length).toBeGreaterThan(30);
    for (const speed of found) expect(speed).toBeGreaterThanOrEqual(20);
    for (const speed of found) expect(speed).toBeLessThanOrEqual(28);
  });

  it('is seen despite the noise of collections', () => {
    const random = noise(3);
    expect(verdicts(hours(2).map((index) => 100 + index * 3 + random() * 2)).length).toBeGreaterThan(8);
  });

  it('is seen after a warm-up', () => {
    const found = verdicts(hours(3).map((index) => 150 - 100 * Math.exp(-index) + index));
    expect(found.at(-1)).toBe(12);
  });

  it('is no longer seen once it has ended', () => {
    const levels = hours(3).map((index) => 100 + Math.min(index, 18) * 5);
    expect(verdicts(levels.slice(-10))).toEqual([]);
  });
});
