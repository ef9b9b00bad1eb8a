// What the config files of PM2's users have, and what becomes of it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Dialect } from '../../../../src/config/config-file.ts';
import { readConfig, resolveConfig } from '../../../../src/config/file/read.ts';
import { installed } from '../../../../src/shared/paths.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';

const cwd = temporaryDirectory(afterAll);
const at = { cwd, env: { PATH: process.env.PATH! } };
writeFileSync(join(cwd, 'app.js'), '');

function read(app: object) {
  return readWhole({ apps: [{ script: 'app.js', ...app }] });
}

async function readWhole(content: object, dialect?: Dialect) {
  writeFileSync(join(cwd, 'pm2.json'), JSON.stringify(content));
  const config = await readConfig({ word: 'pm2.json', dialect }, at);
  const [resolved] = await resolveConfig(config, at);
  return { spec: resolved!.spec, notes: config.notes };
}

async function appsOf(content: object, environment?: string, dialect: Dialect = 'pm2', more: object = {}) {
  writeFileSync(join(cwd, 'pm2.json'), JSON.stringify(content));
  const place = { cwd, env: { ...at.env, ...more } };
  return resolveConfig(await readConfig({ word: 'pm2.json', environment, dialect }, place), place);
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
])('an empty %s has no effect', async (key) => {
  expect((await read({ [key]: '' })).spec).toEqual((await read({})).spec);
});

it('two keys for one setting are accepted if they agree, and rejected if not', async () => {
  expect((await read({ combine_logs: true, merge_logs: true })).spec).toMatchObject({ mergeLogs: true });
  await expect(read({ combine_logs: true, merge_logs: false })).rejects.toMatchObject({
    details: ['pm2.json:1: apps[0].merge_logs duplicates "combine_logs" with another value: keep one of them'],
  });
});

it.each(['drain_on_crash', 'drainOnCrash'])('%s is accepted as a key', async (key) => {
  expect((await read({ [key]: false })).spec).toMatchObject({ drainOnCrash: false });
});

it.each([true, false])('a log file of %s has no effect', async (log) => {
  expect((await read({ log })).spec).toEqual((await read({})).spec);
});

it('a third log file receives both outputs', async () => {
  const { spec, notes } = await read({ out_file: 'out.log', error_file: 'err.log', log_file: 'all.log' });
  const [outFile, errorFile, logFile] = ['out.log', 'err.log', 'all.log'].map((name) => join(cwd, name));
  expect(spec).toMatchObject({ outFile, errorFile, logFile });
  expect(notes).toEqual([]);
});

it('disable_logs turns off all logs, even those with file names', async () => {
  const { spec } = await read({ out_file: 'out.log', log_file: 'all.log', disable_logs: true });
  expect(spec).toMatchObject({ outFile: '/dev/null', errorFile: '/dev/null', logFile: '/dev/null' });
});

it.each(['v8', 'event_loop_inspector', 'io', 'execute_command', 'username'])(
  '%s is ignored with a note',
  async (key) => {
    expect((await read({ [key]: true })).notes).toEqual([expect.stringContaining(`"${key}" has no effect: `)]);
  },
);

it('a tilde stands for the home directory in every path', async () => {
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

describe('a config file for nsv-pm2', () => {
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
  ])('allows an unknown key %s with a note, which is an error without nsv-pm2', async (_, content, note) => {
    expect((await readWhole(content, 'pm2')).notes).toEqual([note]);
    await expect(readWhole(content)).rejects.toMatchObject({ code: 'BAD_CONFIG' });
  });

  it.each<[shape: string, content: object]>([
    ['one app', { script: 'app.js', name: 'web' }],
    ['one app, its program by its newest name', { command: 'app.js', name: 'web' }],
    ['a list', [{ script: 'app.js', name: 'web' }]],
    ['an object of one app', { apps: { script: 'app.js', name: 'web' } }],
    ['a list by its old name', { pm2: [{ script: 'app.js', name: 'web' }] }],
  ])('may contain %s', async (_, content) => {
    expect((await readWhole(content, 'pm2')).spec).toMatchObject({ name: 'web', script: join(cwd, 'app.js') });
  });

  it('resolves relative paths against the working directory, not that of the file', async () => {
    mkdirSync(join(cwd, 'conf'), { recursive: true });
    writeFileSync(join(cwd, 'conf', 'e.json'), JSON.stringify({ script: './app.js' }));
    const read = async (dialect?: Dialect) => resolveConfig(await readConfig({ word: 'conf/e.json', dialect }, at), at);
    expect(await read('pm2')).toMatchObject([{ spec: { script: join(cwd, 'app.js'), cwd } }]);
    await expect(read()).rejects.toMatchObject({ code: 'BAD_CONFIG' });
  });

  it('may list file servers, which become apps, beside other apps or alone', async () => {
    const entry = {
      path: '.',
      port: 8081,
      spa: true,
      basic_auth: { username: 'me', password: 'secret' },
      directory: true,
    };
    const { spec, notes } = await readWhole({ static: [entry] }, 'pm2');
    expect(spec).toMatchObject({
      name: 'static-page-server-8081',
      script: installed.serve,
      fileEnv: {
        PM2_SERVE_PATH: '.',
        PM2_SERVE_PORT: '8081',
        PM2_SERVE_SPA: 'true',
        PM2_SERVE_BASIC_AUTH: 'true',
        PM2_SERVE_BASIC_AUTH_USERNAME: 'me',
        PM2_SERVE_BASIC_AUTH_PASSWORD: 'secret',
      },
    });
    expect(notes).toEqual(['"directory" has no effect: nsv does not list the files of a directory']);
    const both = { apps: [{ script: 'app.js' }], static: [{ path: '.', name: 'pages' }] };
    expect((await appsOf(both)).map(({ name }) => name)).toEqual(['app', 'pages']);
    await expect(readWhole({ static: [entry] })).rejects.toMatchObject({ code: 'BAD_CONFIG' });
  });

  it.each<[what: string, servers: unknown, mistake: string]>([
    ['one object', { path: '.' }, 'static must be a list'],
    ['a number', [1], 'static[0] must be an object'],
    ['no directory', [{ path: 'missing' }], 'PM2_SERVE_PATH names'],
    ['half a login', [{ path: '.', basic_auth: { username: 'me' } }], 'PM2_SERVE_BASIC_AUTH needs'],
  ])('rejects file servers with %s', async (_, servers, mistake) => {
    const attempt = readWhole({ static: servers }, 'pm2');
    await expect(attempt).rejects.toMatchObject({ details: [expect.stringContaining(mistake)] });
  });

  it('applies the variables of the deployment with --env, below those of the app', async () => {
    const content = {
      apps: [{ script: 'app.js', env: { A: 'app', B: 'app' }, env_production: { B: 'production' } }],
      deploy: { production: { env: { A: 'deploy', B: 'deploy', C: 'deploy' } }, staging: { env: { C: 'staging' } } },
    };
    const env = async (environment: string) => (await appsOf(content, environment))[0]?.spec.fileEnv;
    expect(await env('production')).toEqual({ A: 'app', B: 'production', C: 'deploy' });
    expect(await env('staging')).toEqual({ A: 'app', B: 'app', C: 'staging' });
    expect(await env('test')).toEqual({ A: 'app', B: 'app' });
    const bad = { ...content, deploy: { staging: { env: 5 } } };
    await expect(appsOf(bad, 'staging')).rejects.toMatchObject({
      details: [expect.stringContaining('deploy.staging.env must be an object')],
    });
    const plain = readConfig({ word: 'pm2.json', environment: 'staging' }, at).then((config) =>
      resolveConfig(config, at),
    );
    await expect(plain).rejects.toMatchObject({ code: 'BAD_CONFIG' });
  });

  it('enables a source map beside the program, unless the file turns it off', async () => {
    writeFileSync(join(cwd, 'built.js'), '');
    writeFileSync(join(cwd, 'built.js.map'), '{}');
    const args = async (keys: object, dialect: Dialect = 'pm2') =>
      (await readWhole({ apps: [{ script: 'built.js', ...keys }] }, dialect)).spec.interpreterArgs;
    expect(await args({ node_args: '--no-warnings' })).toEqual(['--enable-source-maps', '--no-warnings']);
    expect(await args({ source_map_support: true })).toEqual(['--enable-source-maps']);
    expect(await args({ source_map_support: false })).toEqual(['--no-enable-source-maps']);
    expect(await args({ interpreter: '/bin/sh' })).toEqual([]);
    expect(await args({ script: 'app.js' })).toEqual([]);
    expect(await args({ script: 'app.js', source_map_support: false })).toEqual([]);
    expect(await args({}, 'nsv')).toEqual([]);
  });

  it('takes the defaults for stopping an app from the variables of PM2', async () => {
    const said = { PM2_KILL_USE_MESSAGE: 'true', PM2_KILL_SIGNAL: 'SIGUSR2', PM2_KILL_TIMEOUT: '700' };
    const spec = async (keys: object, env: Record<string, string>, dialect?: Dialect) =>
      (await appsOf({ apps: [{ script: 'app.js', ...keys }] }, undefined, dialect, env))[0]?.spec;
    const defaults = { shutdownWithMessage: true, stopSignal: 'SIGUSR2', killTimeout: 700 };
    expect(await spec({}, said)).toMatchObject(defaults);
    expect(await spec({ kill_timeout: 9 }, said)).toMatchObject({ ...defaults, killTimeout: 9 });
    expect(await spec({}, said, 'nsv')).toMatchObject({ shutdownWithMessage: false, killTimeout: 5_000 });
    expect(await spec({}, { PM2_KILL_USE_MESSAGE: 'false', PM2_KILL_TIMEOUT: '' })).toMatchObject({
      shutdownWithMessage: false,
      killTimeout: 5_000,
    });
    await expect(spec({}, { PM2_KILL_SIGNAL: 'SIGNONE' })).rejects.toMatchObject({
      details: [expect.stringContaining('PM2_KILL_SIGNAL')],
    });
  });

  it('runs a script with Node if neither its name nor its first line names an interpreter', async () => {
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
])('the settings %j correspond to the mode %s of PM2', async (asked, execMode) => {
  expect((await read(asked)).spec).toMatchObject({ execMode });
});
