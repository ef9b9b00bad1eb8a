import { describe, expect, it } from 'vitest';
import { Lasting } from '../../../src/worker/sockets/lasting.ts';

/** `[at, taken, open]`: at this time it has taken so many more, and so many are open. Returns what is said about the last. */
function after(...steps: [at: number, taken: number, open: number][]): boolean | undefined {
  const lasting = new Lasting();
  let areLong: boolean | undefined;
  for (const [at, taken, open] of steps) {
    for (let count = 0; count < taken; count += 1) lasting.took();
    areLong = lasting.areLong(at, open);
  }
  return areLong;
}

describe('connections', () => {
  it.each<[string, Parameters<typeof after>]>([
    ['there were none before', [[0, 1, 1]]],
    [
      'hundreds have come at once and all are open',
      [
        [0, 1, 1],
        [1, 300, 301],
      ],
    ],
    [
      'hundreds have come in several periods and all are open',
      [
        [0, 1, 1],
        [260, 100, 101],
        [520, 100, 201],
        [530, 100, 301],
      ],
    ],
    [
      'eight have ended',
      [
        [0, 1, 1],
        [100, 9, 1],
      ],
    ],
    [
      'hundreds have ended, but in hours',
      [
        [0, 1, 1],
        [3_600_000, 300, 1],
      ],
    ],
    [
      'hundreds have ended half a second ago',
      [
        [0, 1, 1],
        [10, 300, 1],
        [510, 0, 1],
        [520, 1, 2],
      ],
    ],
    [
      'all have ended that came long ago, and as many have come',
      [
        [0, 1, 1],
        [10, 99, 100],
        [900, 0, 1],
        [910, 99, 100],
      ],
    ],
  ])('last if %s', (_, steps) => {
    expect(after(...steps)).toBe(true);
  });

  it.each<[string, Parameters<typeof after>]>([
    [
      'nine have ended',
      [
        [0, 1, 1],
        [100, 10, 1],
      ],
    ],
    [
      'most have ended of many at once',
      [
        [0, 1, 1],
        [100, 400, 60],
      ],
    ],
    [
      'most have ended in the period before',
      [
        [0, 1, 1],
        [240, 400, 10],
        [260, 0, 10],
        [300, 1, 11],
      ],
    ],
    [
      'they go on coming and ending',
      [
        [0, 1, 1],
        [260, 100, 10],
        [520, 100, 10],
        [780, 100, 10],
        [790, 1, 11],
      ],
    ],
  ])('do not last if %s', (_, steps) => {
    expect(after(...steps)).toBe(false);
  });
});
