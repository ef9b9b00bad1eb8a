// What PM2 takes although it has no effect, or another one than was meant: nsv-pm2 goes on, and says so.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Dialect } from '../../../../src/config/config-file.ts';
import { readConfig, resolveConfig } from '../../../../src/config/file/read.ts';
import { instanceCount } from '../../../../src/config/instances.ts';
import { asInPm2 } from '../../../../src/config/pm2-habits.ts';
import { resolveApp } from '../../../../src/config/resolve.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';

const cwd = temporaryDirectory(afterAll);
const at = { cwd, env: { PATH: process.env.PATH! } };
writeFileSync(join(cwd, 'app.js'), '');

async function read(app: object, dialect: Dialect = 'pm2') {
  writeFileSync(join(cwd, 'pm2.json'), JSON.stringify({ apps: [{ script: 'app.js', ...app }] }));
  const config = await readConfig({ word: 'pm2.json', dialect }, at);
  const [resolved] = await resolveConfig(config, at);
  return { spec: resolved!.spec, notes: config.notes };
}

/** The notes on an app of a config file, without the name of the file. */
async function notesOn(app: object, dialect: Dialect, environment?: string) {
  writeFileSync(join(cwd, 'pm2.json'), JSON.stringify({ apps: [{ script: 'app.js', ...app }] }));
  return (await readConfig({ word: 'pm2.json', environment, dialect }, at)).notes;
}

it.each(['nsv', 'pm2'] as const)('settings among the variables of an environment are noted: %s', async (dialect) => {
  const env_production = { NODE_ENV: 'production', port: 80, instances: 4, execMode: 'cluster' };
  expect(await notesOn({ env: { name: 'a' }, env_production }, dialect)).toEqual([
    '"env_production.instances" has no effect: it is a variable there, and settings do not depend on --env',
    '"env_production.execMode" has no effect: it is a variable there, and settings do not depend on --env',
  ]);
});

it.each(['nsv', 'pm2'] as const)('a memory limit without a unit is noted: %s', async (dialect) => {
  const note = 'max_memory_restart is 300 bytes, which every process exceeds: did you mean 300M?';
  expect(await notesOn({ max_memory_restart: '300' }, dialect)).toEqual([note]);
  expect(await notesOn({ max_memory_restart: 1024 ** 2 }, dialect)).toEqual([]);
  const notices: string[] = [];
  const settings = { maxMemoryRestart: 300 };
  await resolveApp({ words: ['app.js'], settings, ...at, notice: (text) => notices.push(text) });
  expect(notices).toEqual([note]);
});

describe('a config file for nsv-pm2', () => {
  it.each<[app: object, note: string, spec: object]>([
    [{ max_memory_restart: '0' }, '"max_memory_restart" has no effect: it must be a size', {}],
    [{ log_type: 'raw' }, '"log_type" has no effect: it must be one of text, json, not "raw"', { logType: 'text' }],
    [{ kill_timeout: -1 }, '"kill_timeout" has no effect: it must be a duration', { killTimeout: 5_000 }],
    [{ instances: 1.5 }, '"instances" has no effect: it must be a number', { instances: 1 }],
    [{ stop_exit_codes: ['x'] }, '"stop_exit_codes" has no effect: it must be', { stopExitCodes: [] }],
    [{ increment_var: 'a b' }, '"increment_var" has no effect: it must be', { incrementVar: undefined }],
    [{ log_rotate: true }, '"log_rotate" has no effect: it must be a non-empty string, not true', {}],
    [{ env_file: 'nope' }, '"env_file" has no effect: it cannot be read: ENOENT', { fileEnv: {} }],
    [
      { interpreter_args: '--no-warnings', node_args: '--no-deprecation' },
      '"interpreter_args" has no effect: "node_args" is there too',
      { interpreterArgs: ['--no-deprecation'] },
    ],
    [{ out: 'a', output: 'b' }, '"output" has no effect: "out" is there too', { outFile: join(cwd, 'a') }],
  ])(
    'has a value noted and left out that PM2 tolerates, which is an error without nsv-pm2: %j',
    async (app, note, more) => {
      const { spec, notes } = await read(app);
      expect(notes).toEqual([expect.stringContaining(note)]);
      expect(spec).toMatchObject(more);
      await expect(read(app, 'nsv')).rejects.toMatchObject({ code: 'BAD_CONFIG' });
    },
  );

  it.each<[app: object]>([
    [{ kill_timeout: 'soon' }],
    [{ max_memory_restart: '512 potatoes' }],
    [{ autorestart: 'no' }],
    [{ name: 5 }],
    [{ args: { a: 1 } }],
    [{ cron_restart: 'never' }],
    [{ uid: 'nobody-at-all' }],
  ])('is refused for a value that PM2 refuses it for: %j', async (app) => {
    await expect(read(app)).rejects.toMatchObject({ code: 'BAD_CONFIG' });
  });

  it('takes the regular expressions of most files for names, and notes the others', () => {
    const noted: string[] = [];
    const expressions = [String.raw`[\/\\]\.`, 'node_modules', '\\.log$'].map((source) => ({
      regularExpression: source,
    }));
    const read = (value: unknown) => asInPm2('ignoreWatch', value, (what) => noted.push(what));
    expect(read([...expressions, 'tmp'])).toEqual(['.*', 'node_modules', 'tmp']);
    expect(read(expressions[1])).toEqual(['node_modules']);
    expect(noted).toEqual([String.raw`/\.log$/`]);
  });

  it('may have no apps', async () => {
    writeFileSync(join(cwd, 'pm2.json'), '{ "apps": [] }');
    const config = await readConfig({ word: 'pm2.json', dialect: 'pm2' }, at);
    expect(config.notes).toEqual(['"apps" has no effect: it is empty']);
    expect(await resolveConfig(config, at)).toEqual([]);
  });

  it('may name a directory as its script', async () => {
    mkdirSync(join(cwd, 'src'));
    writeFileSync(join(cwd, 'src', 'index.js'), '');
    expect((await read({ script: 'src' })).spec.script).toBe(join(cwd, 'src', 'index.js'));
  });

  it('takes values as PM2 does', async () => {
    const app = {
      env: { A: null },
      args: [true, null, 1],
      ignore_watch: 'logs  tmp',
      cron: '0 1/3 * * *',
    };
    expect((await read(app)).spec).toMatchObject({
      fileEnv: { A: 'null' },
      args: ['true', '1'],
      ignoreWatch: ['logs', 'tmp'],
    });
  });

  it.each(['max', 'MAX', 'auto'])('has a process per CPU with %s instances', async (instances) => {
    expect((await read({ instances })).spec.instances).toBe(instanceCount('max'));
  });

  it('may have a key of JSON twice, of which the last one counts', async () => {
    const place = { word: 'twice.json', dialect: 'pm2' } as const;
    writeFileSync(join(cwd, 'twice.json'), '{ "script": "app.js",\n"instances": 2,\n"instances": 3 }');
    const config = await readConfig(place, at);
    expect(config.notes).toEqual(['line 3 has a key a second time; the last one counts']);
    expect(await resolveConfig(config, at)).toMatchObject([{ spec: { instances: 3 } }]);
  });

  it('has an environment noted that it does not have', async () => {
    expect(await notesOn({ env_productoin: {} }, 'pm2', 'production')).toEqual([
      'no app has "env_production" for --env production; did you mean "productoin"?',
    ]);
  });
});
