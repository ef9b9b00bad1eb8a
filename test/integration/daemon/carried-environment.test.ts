// How a program gets its environment after steps that ran as root, with each shell that is installed.
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findProgram } from '../../../src/os/programs.ts';
import { carrying } from '../../../src/privileges/carried-environment.ts';
import { outputOf } from '../../helpers/program.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';

const printing = ['-e', 'console.log(JSON.stringify(process.env))'];

const env = {
  PATH: '/a:/b',
  LD_DEBUG: '',
  BASH_ENV: '/nowhere',
  ENV: '/nowhere',
  IFS: 'abc=NSV_',
  LC_ALL: 'no_WHERE',
  PS4: '$(exit 1)',
  TEXT: ' two\nlines, "quotes", \'quotes\', $HOME, `id`, \\ ',
  EMPTY: '',
  UMLAUT: 'ä€😀',
  PWD: '/elsewhere',
  name: 'web',
  NSV_MARK: 'mark',
  NSV_APP: 'web',
};

/** Linked as `sh`, the name by which each of them knows that it is to behave like it. */
const directory = temporaryDirectory(afterAll);
const shells = ['dash', 'bash', 'busybox'].flatMap((name) => {
  const program = findProgram(name, { cwd: '/', env: { PATH: '/usr/bin:/bin' } });
  if (!program) return [];
  mkdirSync(join(directory, name));
  symlinkSync(program, join(directory, name, 'sh'));
  return [name];
});

describe.each(shells)('with %s', (name) => {
  async function environmentThrough(given: Record<string, string>): Promise<Record<string, string>> {
    const { command, env } = carrying(given, [process.execPath, ...printing]);
    return JSON.parse(await outputOf(join(directory, name, 'sh'), command.slice(1), { env }));
  }

  it('a program gets exactly its own variables', async () => {
    // bash sets these for what it executes.
    const { _, SHLVL, OLDPWD, ...found } = await environmentThrough(env);
    expect(found).toEqual(env);
  });

  it('a program without a PATH gets none', async () => {
    expect((await environmentThrough({ A: '1' })).PATH).toBeUndefined();
  });

  it('a variable that the shell cannot set does not affect the others', async () => {
    const names =
      'UID EUID PPID OPTIND HISTCMD SRANDOM RANDOM LINENO SECONDS GROUPS BASHOPTS SHELLOPTS BASH_VERSINFO'.split(' ');
    const unsettable = Object.fromEntries(names.map((each) => [each, 'no number']));
    const found = await environmentThrough({ A: '1', 'a-b': '2', ...unsettable, NSV_OF_A: '3', Z: '4' });
    expect(found).toMatchObject({ A: '1', Z: '4' });
    expect(Object.keys(found).filter((name) => name.startsWith('NSV_OF') || name === 'a-b')).toEqual([]);
  });

  it('four thousand variables are passed', async () => {
    const many = Object.fromEntries(Array.from({ length: 4_000 }, (_, index) => [`SERVICE_${index}_PORT`, `${index}`]));
    expect(await environmentThrough(many)).toMatchObject(many);
  });
});

describe('the steps that run as root', () => {
  it('get a fixed PATH, the variables of nsv, and the others under names that nothing obeys', () => {
    const names = Object.keys(carrying(env, ['true']).env);
    expect(names.filter((name) => !name.startsWith('NSV_'))).toEqual(['PATH']);
    expect(carrying(env, ['true']).env).toMatchObject({ PATH: '/usr/bin:/bin:/usr/sbin:/sbin' });
  });

  it('get no value of a variable as an argument', () => {
    expect(carrying({ SECRET: 'of the app' }, ['true']).command.join(' ')).not.toContain('of the app');
  });
});
