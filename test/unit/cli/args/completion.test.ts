import { describe, expect, it } from 'vitest';
import { completionScripts } from '../../../../src/cli/args/completion.ts';
import { outputOf, works } from '../../../helpers/program.ts';
import { processView, run } from '../fake-context.ts';

const daemon = {
  list: async () => [processView(), processView({ name: 'worker', namespace: 'jobs', queues: ['exports'] })],
};

async function completed(...words: string[]): Promise<string[]> {
  const { stdout } = await run(['complete', '--', ...words], { daemon });
  return stdout.split('\n').filter((line) => line !== '');
}

describe('the last word is completed to', () => {
  it.each<[string[], string[]]>([
    [['re'], ['restart', 'reload', 'repl', 'reset', 'resurrect']],
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
      ['--update-env', '--only', '--env', '--json', '--script', '--cwd', '--help'],
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
    [
      ['queue', 're'],
      ['retry', 'resume', 'remove'],
    ],
    [['queue', 'pause', ''], ['exports']],
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

/** Stands in for the program: asked for the last word, it has three names. */
const asked = `nsv() {
  for name in 'two words' api:blue @acme/api; do if [[ $name = "\${@: -1}"* ]]; then echo "$name"; fi; done
}`;

describe('what bash puts in the place of the last word,', () => {
  it.each([
    ['nsv stop tw', 'two\\ words'],
    ['nsv stop two\\ w', 'two\\ words'],
    ['nsv stop api:b', 'blue'],
    ['nsv stop @acme/', '@acme/api'],
    ['nsv stop ', 'two\\ words api:blue @acme/api'],
  ])('%s: %s', async (line, expected) => {
    const script = `${completionScripts.bash}
${asked}
COMP_LINE=$1 COMP_POINT=\${#1} COMP_WORDS=($1) COMP_CWORD=2
_nsv
echo "\${COMPREPLY[*]}"`;
    expect(await outputOf('bash', ['--norc', '-c', script, 'bash', line])).toBe(`${expected}\n`);
  });
});

const hasFish = await works('fish', '--version');

describe('where nsv knows nothing files are completed,', () => {
  it('by bash, which is asked for its own', async () => {
    const script = `${completionScripts.bash}\ncomplete -p nsv`;
    expect(await outputOf('bash', ['--norc', '-c', script])).toBe('complete -o default -F _nsv nsv\n');
  });

  it.skipIf(!hasFish)('by fish', async () => {
    const completed = (line: string) =>
      outputOf('fish', ['--no-config', '-c', `function nsv; end\n${completionScripts.fish}\ncomplete -C '${line}'`], {
        cwd: import.meta.dirname,
      });
    expect(await completed('nsv run completion.t')).toBe('completion.test.ts\n');
    expect(await completed('nsv apply completion.t')).toBe('completion.test.ts\n');
  });
});
