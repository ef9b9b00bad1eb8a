import { describe, expect, it } from 'vitest';
import { processView, run } from './fake-context.ts';

const daemon = { list: async () => [processView(), processView({ name: 'worker', namespace: 'jobs' })] };

async function completed(...words: string[]): Promise<string[]> {
  const { stdout } = await run(['complete', '--', ...words], { daemon });
  return stdout.split('\n').filter((line) => line !== '');
}

describe('the last word is completed to', () => {
  it.each<[string[], string[]]>([
    [['re'], ['restart', 'reload', 'reset', 'resurrect']],
    [
      ['stop', 'w'],
      ['web', 'worker'],
    ],
    [
      ['stop', 'web', ''],
      ['web', 'default', 'all', 'worker', 'jobs'],
    ],
    [['start', 'wo'], ['worker']],
    [['start', '--wait'], ['--wait-ready']],
    [
      ['restart', '--'],
      ['--update-env', '--only', '--env', '--json', '--help'],
    ],
    [['completion', 'z'], ['zsh']],
    [
      ['logs', ''],
      ['rotate', 'reopen', 'web', 'default', 'all', 'worker', 'jobs'],
    ],
    [
      ['logs', 'rotate', 'w'],
      ['web', 'worker'],
    ],
    [['save', ''], []],
    [['nonsense', ''], []],
  ])('nsv %j: %j', async (words, expected) => {
    expect(await completed(...words)).toEqual(expected);
  });

  it('every command when there is nothing yet, and nothing hidden', async () => {
    expect(await completed('')).toEqual(expect.arrayContaining(['start', 'list', 'completion']));
    expect(await completed('')).not.toContain('complete');
  });
});

it('without a daemon names are not completed, and none is launched', async () => {
  expect(await run(['complete', '--', 'stop', ''])).toMatchObject({ stdout: '', stderr: '', launches: [false] });
});
