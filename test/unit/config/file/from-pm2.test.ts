// What the config files of PM2's users have, and what becomes of it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Dialect } from '../../../../src/config/config-file.ts';
import { readConfig, resolveConfig } from '../../../../src/config/file/read.ts';

const cwd = mkdtempSync(join(tmpdir(), 'nsv-from-pm2-'));
const at = { cwd, env: { PATH: process.env.PATH! } };
writeFileSync(join(cwd, 'app.js'), '');
afterAll(() => rmSync(cwd, { recursive: true }));

function read(app: object) {
  return readWhole({ apps: [{ script: 'app.js', ...app }] });
}

async function readWhole(content: object, dialect?: Dialect) {
  writeFileSync(join(cwd, 'pm2.json'), JSON.stringify(content));
  const config = await readConfig({ word: 'pm2.json', dialect }, at);
  const [resolved] = await resolveConfig(config, at);
  return { spec: resolved!.spec, notes: config.notes };
}

it.each([
  'args',
  'node_args',
  'interpreter_args',
  'interpreter',
  'name',
  'cwd',
  'cron_restart',
  'instances',
  'max_memory_restart',
  'log_file',
  'uid',
  'env',
])('an empty %s says nothing', async (key) => {
  expect((await read({ [key]: '' })).spec).toEqual((await read({})).spec);
});

it('the same said by two keys is no mistake', async () => {
  expect((await read({ combine_logs: true, merge_logs: true })).spec).toMatchObject({ mergeLogs: true });
  await expect(read({ combine_logs: true, merge_logs: false })).rejects.toMatchObject({
    details: ['pm2.json:1: apps[0].merge_logs duplicates "combine_logs" with another value: keep one of them'],
  });
});

it.each(['drain_on_crash', 'drainOnCrash', 'suicide'])('%s is a key', async (key) => {
  expect((await read({ [key]: false })).spec).toMatchObject({ drainOnCrash: false });
});

it.each([true, false])('a log file that is a switch (%s) names none', async (log) => {
  expect((await read({ log })).spec).toEqual((await read({})).spec);
});

it('a third log file is that of both outputs', async () => {
  const { spec, notes } = await read({ out_file: 'out.log', error_file: 'err.log', log_file: 'all.log' });
  const [outFile, errorFile, logFile] = ['out.log', 'err.log', 'all.log'].map((name) => join(cwd, name));
  expect(spec).toMatchObject({ outFile, errorFile, logFile });
  expect(notes).toEqual([]);
});

it('no logs are kept with disable_logs, whatever files are named', async () => {
  const { spec } = await read({ out_file: 'out.log', log_file: 'all.log', disable_logs: true });
  expect(spec).toMatchObject({ outFile: '/dev/null', errorFile: '/dev/null', logFile: '/dev/null' });
});

it.each(['v8', 'event_loop_inspector', 'io', 'execute_command', 'username'])(
  '%s is known, and left out',
  async (key) => {
    expect((await read({ [key]: true })).notes).toEqual([expect.stringContaining(`"${key}" has no effect: `)]);
  },
);

it('a tilde is the home of the user, in every path', async () => {
  const { spec } = await read({
    cwd: '~/',
    out_file: '~/.pm2/out.log',
    error_file: '~/err.log',
    pid_file: '~/a.pid',
    script: join(cwd, 'app.js'),
  });
  const home = (path = '') => join(homedir(), path);
  expect(spec).toMatchObject({
    cwd: homedir(),
    outFile: home('.pm2/out.log'),
    errorFile: home('err.log'),
    pidFile: home('a.pid'),
  });
  expect((await read({ out_file: '~backup/out.log' })).spec.outFile).toBe(join(cwd, '~backup/out.log'));
});

describe('for nsv-pm2', () => {
  it.each<[what: string, content: object, note: string]>([
    [
      'of an app',
      { apps: [{ script: 'app.js', max_memory_restrat: '1G' }] },
      '"max_memory_restrat" has no effect: neither nsv nor PM2 knows it; did you mean "max_memory_restart"?',
    ],
    [
      'of the file',
      { apps: [{ script: 'app.js' }], zzzzzzz: 1 },
      '"zzzzzzz" has no effect: neither nsv nor PM2 knows it',
    ],
  ])('an unknown key %s is a remark, and an error otherwise', async (_, content, note) => {
    expect((await readWhole(content, 'pm2')).notes).toEqual([note]);
    await expect(readWhole(content)).rejects.toMatchObject({ code: 'BAD_CONFIG' });
  });

  it.each<[shape: string, content: object]>([
    ['one app', { script: 'app.js', name: 'web' }],
    ['one app, its program by its newest name', { command: 'app.js', name: 'web' }],
    ['a list', [{ script: 'app.js', name: 'web' }]],
    ['an object of one app', { apps: { script: 'app.js', name: 'web' } }],
    ['a list by its old name', { pm2: [{ script: 'app.js', name: 'web' }] }],
  ])('a file may be %s', async (_, content) => {
    expect((await readWhole(content, 'pm2')).spec).toMatchObject({ name: 'web', script: join(cwd, 'app.js') });
  });

  it('relative paths start at the directory of the shell, not at that of the file', async () => {
    mkdirSync(join(cwd, 'conf'), { recursive: true });
    writeFileSync(join(cwd, 'conf', 'e.json'), JSON.stringify({ script: './app.js' }));
    const read = async (dialect?: Dialect) => resolveConfig(await readConfig({ word: 'conf/e.json', dialect }, at), at);
    expect(await read('pm2')).toMatchObject([{ spec: { script: join(cwd, 'app.js'), cwd } }]);
    await expect(read()).rejects.toMatchObject({ code: 'BAD_CONFIG' });
  });

  it('Node runs what does not say who runs it, and nothing else', async () => {
    writeFileSync(join(cwd, 'bare'), 'setInterval(() => {}, 1000)');
    writeFileSync(join(cwd, 'shebang'), '#!/bin/sh\nsleep 1000');
    const read = (script: string, dialect?: Dialect) => readWhole({ apps: [{ script }] }, dialect);
    expect((await read('bare', 'pm2')).spec).toMatchObject({ node: true, args: [] });
    expect((await read('shebang', 'pm2')).spec).toMatchObject({ node: false, interpreter: '/bin/sh' });
    expect((await read('/bin/sh', 'pm2')).spec).toMatchObject({ node: false, interpreter: undefined });
    await expect(read('bare')).rejects.toMatchObject({ code: 'BAD_CONFIG' });
  });
});

it.each<[asked: object, mode: string]>([
  [{}, 'fork'],
  [{ instances: 1 }, 'cluster'],
  [{ instances: 2, exec_mode: 'fork' }, 'fork'],
  [{ exec_mode: 'cluster_mode' }, 'cluster'],
  [{ instances: 2, script: '/bin/sh' }, 'fork'],
])('%j is what PM2 calls %s', async (asked, execMode) => {
  expect((await read(asked)).spec).toMatchObject({ execMode });
});
