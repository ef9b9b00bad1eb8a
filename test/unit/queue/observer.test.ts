import { describe, expect, it } from 'vitest';
import type { RunningTask } from '../../../queue/index.cjs';
import { Observer } from '../../../src/queue/observer.ts';

const task = (beat: number, token = 1, id = 'a'): RunningTask => ({ id, token, owner: 'other', beat });

/** What each look finds dead; a text stands for a look that the store has not answered. */
function found(looks: readonly (readonly RunningTask[] | 'unreachable')[]): string[] {
  const observer = new Observer();
  return looks.map((look) => {
    if (look !== 'unreachable')
      return observer
        .look(look)
        .map(({ id }) => id)
        .join();
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

  it('is judged by itself', () => {
    const looks = [1, 2, 3, 4].map((beat) => [task(beat), task(7, 2, 'b')]);
    expect(found(looks)).toEqual(['', '', '', 'b']);
  });
});
