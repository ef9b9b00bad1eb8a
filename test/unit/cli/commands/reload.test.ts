import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAppSpec } from '../../../../src/config/app-spec.ts';
import type { AppView } from '../../../../src/ipc/views.ts';
import { processView, run } from '../fake-context.ts';

const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'nsv-reload-')));
const at = (...names: string[]) => join(cwd, ...names);
const env = { PATH: at('bin') };

beforeAll(() => {
  for (const directory of ['bin', 'v1', 'v2']) mkdirSync(at(directory));
  for (const file of ['v1/app.js', 'v2/app.js', 'v2/app.py', 'v2/only.js', 'v2/unknown.xyz'])
    writeFileSync(at(file), '');
  for (const program of ['node', 'python3', 'own']) symlinkSync('/bin/sh', at('bin', program));
});
afterAll(() => rmSync(cwd, { recursive: true }));

const view = (settings: Record<string, unknown> = {}): AppView => {
  const program = {
    script: at('v1/app.js'),
    cwd: at('v1'),
    interpreter: at('bin/own'),
    interpreterArgs: ['-x'],
    node: false,
  };
  return {
    spec: parseAppSpec({ name: 'web', ...program, ...settings }),
    createdAt: 0,
    sockets: [],
    logTroubles: [],
    processes: [processView()],
  };
};

async function programOf(words: string[], apps = [view()]): Promise<unknown> {
  const { calls } = await run(['reload', 'web', ...words], { daemon: { describe: async () => apps }, cwd, env });
  const [, params] = calls.at(-1)!;
  return (params as { program?: unknown }).program;
}

describe('nsv reload', () => {
  it('asks for nothing else when nothing else is named', async () => {
    expect(await programOf([])).toBeUndefined();
  });

  it('takes another file, run as the old one was', async () => {
    expect(await programOf(['--script', 'v2/app.js'])).toEqual({
      script: at('v2/app.js'),
      cwd: at('v1'),
      interpreter: at('bin/own'),
      interpreterArgs: ['-x'],
      node: false,
    });
  });

  it('takes another directory, alone or with a file that is found in it', async () => {
    expect(await programOf(['--cwd', 'v2'])).toMatchObject({ script: at('v1/app.js'), cwd: at('v2') });
    expect(await programOf(['--cwd', 'v2', '--script', 'only.js'])).toMatchObject({ script: at('v2/only.js') });
  });

  it('runs a file of another kind as that of a new app', async () => {
    expect(await programOf(['--script', 'v2/app.py'])).toMatchObject({
      interpreter: at('bin/python3'),
      interpreterArgs: [],
    });
  });

  it.each([
    ['a file that is not there', ['--script', 'v3.js'], [view()], 'NO_SUCH_SCRIPT', 'v3.js'],
    ['a directory that is not there', ['--cwd', 'v3'], [view()], 'NO_SUCH_DIRECTORY', 'v3'],
    [
      'an interpreter that is gone',
      ['--script', 'v2/app.js'],
      [view({ interpreter: '/gone' })],
      'NO_SUCH_INTERPRETER',
      '/gone',
    ],
    ['a file that nothing runs', ['--script', 'v2/unknown.xyz'], [view()], 'PROGRAM_UNEXECUTABLE', 'unknown.xyz'],
    ['several apps', ['--script', 'v2/app.js'], [view(), view()], 'BAD_USAGE', 'a single app'],
  ])('names %s before anything is asked', async (_, words, apps, code, named) => {
    await expect(programOf(words, apps)).rejects.toMatchObject({ code, message: expect.stringContaining(named) });
  });

  it.each(['0', 'two', '10001'])('sends who says --parallel %s to the help of the command', async (parallel) => {
    await expect(programOf(['--parallel', parallel])).rejects.toMatchObject({
      code: 'BAD_OPTION',
      message: `--parallel must be a whole number, 1 to 10000, not "${parallel}"`,
      hint: expect.stringContaining('run the command with --help'),
    });
  });
});
