import { describe, expect, it } from 'vitest';
import type { RunningTask } from '../../../queue/index.cjs';
import { Observer } from '../../../src/queue/observer.ts';

const task = (beat: number, token = 1, id = 'a'): RunningTask => ({ id, token, owner: 'other', beat });

/**
 * What each look finds dead, of looks every 5 seconds; a text stands for one that the store has not answered. `took`: how many milliseconds the first
 * answer took.
 */
function found(looks: readonly (readonly RunningTask[] | 'unreachable')[], took = 10): string[] {
  const observer = new Observer();
  return looks.map((look, at) => {
    if (look !== 'unreachable') {
      const dead = observer.look(look, at * 5_000, at === 0 ? took : at * 5_000 + 10);
      return dead.map(({ id }) => id).join();
    }
    observer.forget();
    return '';
  });
}

describe('a task of another process', () => {
  it.each([
    [
      'is left alone as long as its beat changes',
      [[task(1)], [task(2)], [task(3)], [task(4)], [task(5)]],
      ['', '', '', '', ''],
    ],
    [
      'is left alone when each second look finds a new beat',
      [[task(1)], [task(1)], [task(2)], [task(2)], [task(3)]],
      ['', '', '', '', ''],
    ],
    [
      'is dead after three more looks at the same beat',
      [[task(1)], [task(1)], [task(1)], [task(1)]],
      ['', '', '', 'a'],
    ],
    ['is another one when it was claimed anew', [[task(1)], [task(1)], [task(1)], [task(1, 2)]], ['', '', '', '']],
    ['begins anew when it was away for a look', [[task(1)], [task(1)], [], [task(1)], [task(1)]], ['', '', '', '', '']],
    [
      'gets its time again once the store is back',
      [[task(1)], [task(1)], [task(1)], 'unreachable', [task(1)]],
      ['', '', '', '', ''],
    ],
    [
      'has a beat of any kind, such as one that goes back',
      [[task(9)], [task(1)], [task(9)], [task(1)]],
      ['', '', '', ''],
    ],
  ] as const)('%s', (_what, looks, expected) => {
    expect(found(looks)).toEqual(expected);
  });

  it('is dead no sooner than 14 s after the first answer', () => {
    const looks = Array.from({ length: 5 }, () => [task(1)]);
    expect(found(looks, 900)).toEqual(['', '', '', 'a', 'a']);
    expect(found(looks, 4_900)).toEqual(['', '', '', '', 'a']);
  });

  it('is judged by itself', () => {
    const looks = [1, 2, 3, 4].map((beat) => [task(beat), task(7, 2, 'b')]);
    expect(found(looks)).toEqual(['', '', '', 'b']);
  });
});
