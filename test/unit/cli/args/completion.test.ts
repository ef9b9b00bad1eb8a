import { describe, expect, it } from 'vitest';
import { completionScripts } from '../../../../src/cli/args/completion.ts';
import { outputOf, works } from '../../../helpers/program.ts';
import { processView, run } from '../fake-context.ts';

const daemon = {
  list: async () => [processView(), processView({ name: 'worker', namespace: 'jobs', queues: ['exports'] })],
};

/** Of the last word of a line. */
async function completed(line: string): Promise<string> {
  const { stdout } = await run(['complete', '--', ...line.split(' ')], { daemon });
  return stdout.trim().replaceAll('\n', ' ');
}

describe('completion', () => {
  it.each([
    ['re', 'restart reload repl reset resurrect'],
    ['stop w', 'web worker'],
    ['stop web ', 'web default all worker jobs'],
    ['start wo', 'worker'],
    ['start --wait', '--wait-ready'],
    ['restart --', '--update-env --only --env --json --script --cwd --help'],
    ['completion z', 'zsh'],
    ['logs ', 'rotate reopen web default all worker jobs'],
    ['logs rotate w', 'web worker'],
    ['queue re', 'retry resume remove'],
    ['queue pause ', 'exports'],
    ['save ', ''],
    ['nonsense ', ''],
  ])('completes "nsv %s" with "%s"', async (line, expected) => {
    expect(await completed(line)).toBe(expected);
  });

  it('offers commands for an empty line, but no hidden ones', async () => {
    const offered = (await completed('')).split(' ');
    expect(offered).toEqual(expect.arrayContaining(['start', 'list', 'completion']));
    expect(offered).not.toContain('complete');
  });
});

it('completion without a daemon offers no names and launches none', async () => {
  expect(await run(['complete', '--', 'stop', ''])).toMatchObject({ stdout: '', stderr: '', launches: [false] });
});

/** Stands in for the program: asked for the last word, it has three names. */
const asked = `nsv() {
  for name in 'two words' api:blue @acme/api; do if [[ $name = "\${@: -1}"* ]]; then echo "$name"; fi; done
}`;

describe('bash', () => {
  it.each([
    ['nsv stop tw', 'two\\ words'],
    ['nsv stop two\\ w', 'two\\ words'],
    ['nsv stop api:b', 'blue'],
    ['nsv stop @acme/', '@acme/api'],
    ['nsv stop ', 'two\\ words api:blue @acme/api'],
  ])('completes "%s" with "%s"', async (line, expected) => {
    const script = `${completionScripts.bash}
${asked}
COMP_LINE=$1 COMP_POINT=\${#1} COMP_WORDS=($1) COMP_CWORD=2
_nsv
echo "\${COMPREPLY[*]}"`;
    expect(await outputOf('bash', ['--norc', '-c', script, 'bash', line])).toBe(`${expected}\n`);
  });
});

const hasFish = await works('fish', '--version');

describe('a word that nsv cannot complete', () => {
  it('is completed as a file name by bash', async () => {
    const script = `${completionScripts.bash}\ncomplete -p nsv`;
    expect(await outputOf('bash', ['--norc', '-c', script])).toBe('complete -o default -F _nsv nsv\n');
  });

  it.skipIf(!hasFish)('is completed as a file name by fish', async () => {
    const completed = (line: string) =>
      outputOf('fish', ['--no-config', '-c', `function nsv; end\n${completionScripts.fish}\ncomplete -C '${line}'`], {
        cwd: import.meta.dirname,
      });
    expect(await completed('nsv run completion.t')).toBe('completion.test.ts\n');
    expect(await completed('nsv apply completion.t')).toBe('completion.test.ts\n');
  });
});
