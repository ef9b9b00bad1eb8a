import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAppSpec } from '../../../../src/config/app-spec.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';
import { appView, run } from '../fake-context.ts';

const cwd = temporaryDirectory(afterAll);
const at = (...names: string[]) => join(cwd, ...names);
const env = { PATH: at('bin') };

beforeAll(() => {
  for (const directory of ['bin', 'v1', 'v2']) mkdirSync(at(directory));
  for (const file of ['v1/app.js', 'v2/app.js', 'v2/app.py', 'v2/only.js', 'v2/unknown.xyz'])
    writeFileSync(at(file), '');
  for (const program of ['node', 'python3', 'own']) symlinkSync('/bin/sh', at('bin', program));
});

const program = {
  script: at('v1/app.js'),
  cwd: at('v1'),
  interpreter: at('bin/own'),
  interpreterArgs: ['-x'],
  node: false,
};
const view = (settings: object = {}) => appView({ ...program, ...settings });

async function askedFor(words: string[], apps = [view()]) {
  const { calls, stderr: err } = await run(['reload', 'web', ...words], {
    daemon: { describe: async () => apps },
    cwd,
    env,
  });
  const [method, params] = calls.at(-1)!;
  return { method, params: params as { app?: object; target?: string; how?: string }, err };
}

const programOf = async (words: string[], apps = [view()]) => (await askedFor(words, apps)).params.app;

describe('nsv reload', () => {
  it('only reloads if no settings are given', async () => {
    expect(await askedFor([])).toMatchObject({ method: 'reload', params: { targets: ['web'], parallel: 1 } });
  });

  it('applies new settings, and prints old and new values on one line', async () => {
    const words = ['--max-memory-restart', '300M', '--name', 'other', '--no-watch', '--cron-restart', 'null'];
    const asked = await askedFor(words, [view({ watch: [at('v1')], cronRestart: '0 3 * * *', killTimeout: 9 })]);
    expect(asked).toMatchObject({ method: 'update', params: { target: 'web', how: 'reload' } });
    expect(parseAppSpec(asked.params.app)).toMatchObject({
      ...{ name: 'other', maxMemoryRestart: 300 * 1024 * 1024, watch: [], cronRestart: undefined, killTimeout: 9 },
    });
    const changes = ['name web -> other', 'maxMemoryRestart none -> 300.0mb', `watch ${at('v1')} -> none`];
    for (const change of [...changes, 'cronRestart 0 3 * * * -> none']) expect(asked.err).toContain(change);
    expect(asked.err.trim().split('\n')).toHaveLength(1);
  });

  it('turns on what a flag has turned off, and applies new arguments', async () => {
    const app = await programOf(['--autorestart', '--', '--port', '80'], [view({ autorestart: false, args: ['x'] })]);
    expect(parseAppSpec(app)).toMatchObject({ autorestart: true, args: ['--port', '80'] });
  });

  it('applies new Node arguments, and resolves paths against the directory of the app', async () => {
    const node = { interpreter: at('bin/node'), node: true };
    const app = await programOf(['--node-args', '--a --b', '--output', 'out.log'], [view(node)]);
    expect(app).toMatchObject({ ...node, interpreterArgs: ['--a', '--b'], outFile: at('v1/out.log') });
    expect(parseAppSpec(await programOf(['--no-node-args'], [view(node)]))).toMatchObject({
      ...node,
      interpreterArgs: [],
    });
  });

  it('rejects settings that would reopen the sockets, and suggests nsv restart', async () => {
    const attempt = programOf(['--schedule', 'rr']);
    await expect(attempt).rejects.toMatchObject({
      code: 'BAD_OPTION',
      message: expect.stringContaining('nsv restart'),
    });
  });

  it('rejects settings for one of several instances', async () => {
    const message = expect.stringContaining('name the app');
    await expect(programOf(['--max-age', '1h'], [view({ instances: 2 })])).rejects.toMatchObject({ message });
  });

  it('runs another file with the directory and the interpreter of the old one', async () => {
    expect(await programOf(['--script', 'v2/app.js'])).toMatchObject({
      script: at('v2/app.js'),
      cwd: at('v1'),
      interpreter: at('bin/own'),
      interpreterArgs: ['-x'],
    });
  });

  it('changes the directory, alone or with a file in it', async () => {
    expect(await programOf(['--cwd', 'v2'])).toMatchObject({ script: at('v1/app.js'), cwd: at('v2') });
    expect(await programOf(['--cwd', 'v2', '--script', 'only.js'])).toMatchObject({ script: at('v2/only.js') });
  });

  it('runs a file of another kind as a new app would run it', async () => {
    expect(await programOf(['--script', 'v2/app.py'])).toMatchObject({
      interpreter: at('bin/python3'),
    });
  });

  const withoutInterpreter = [view({ interpreter: '/gone' })];

  it.each([
    ['a file that is not there', ['--script', 'v3.js'], [view()], 'NO_SUCH_SCRIPT', 'v3.js'],
    ['a directory that is not there', ['--cwd', 'v3'], [view()], 'NO_SUCH_DIRECTORY', 'v3'],
    ['an interpreter that is gone', ['--script', 'v2/app.js'], withoutInterpreter, 'NO_SUCH_INTERPRETER', '/gone'],
    ['a file that nothing runs', ['--script', 'v2/unknown.xyz'], [view()], 'PROGRAM_UNEXECUTABLE', 'unknown.xyz'],
    ['several apps', ['--script', 'v2/app.js'], [view(), view()], 'BAD_OPTION', 'a single app'],
  ])('rejects %s', async (_, words, apps, code, named) => {
    await expect(programOf(words, apps)).rejects.toMatchObject({ code, message: expect.stringContaining(named) });
  });

  it.each(['0', 'two', '10001'])('rejects --parallel %s and points to the help', async (parallel) => {
    await expect(programOf(['--parallel', parallel])).rejects.toMatchObject({
      code: 'BAD_OPTION',
      message: `--parallel must be a whole number, 1 to 10000, not "${parallel}"`,
      hint: expect.stringContaining('run the command with --help'),
    });
  });
});
