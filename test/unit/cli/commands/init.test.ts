import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../../../src/config/file/read.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';
import { run } from '../fake-context.ts';

let cwd: string;
const at = (name: string) => join(cwd, name);

beforeEach(() => {
  cwd = temporaryDirectory();
});

describe('nsv init', () => {
  it.each([
    [{ name: '@acme/shop', main: 'lib/main.js' }, ['init'], 'nsv.config.js'],
    [{ name: '@acme/shop', main: 'lib/main.js', type: 'module' }, ['init'], 'nsv.config.js'],
    [{ name: '@acme/shop', main: 'lib/main.js', type: 'module' }, ['init', 'web.config.cjs'], 'web.config.cjs'],
    [{ name: '@acme/shop', main: 'lib/main.js' }, ['pm2', 'init', 'simple'], 'ecosystem.config.js'],
    [{ name: '@acme/shop', main: 'lib/main.js' }, ['pm2', 'ecosystem'], 'ecosystem.config.js'],
  ])('writes a config file with the program of the package: %j, %j', async (manifest, words, file) => {
    writeFileSync(at('package.json'), JSON.stringify(manifest));
    mkdirSync(at('lib'));
    writeFileSync(at('lib/main.js'), '');
    const { stdout } = await run(words, { cwd });
    expect(stdout).toContain(`wrote ${at(file)}`);
    const { apps, notes } = await readConfig(
      { word: file, environment: 'development' },
      { cwd, env: process.env as never },
    );
    expect(notes).toEqual([]);
    expect(apps).toMatchObject([{ name: 'shop', words: ['lib/main.js'] }]);
    expect(apps[0]!.settings.fileEnv).toEqual({ NODE_ENV: 'development' });
  });

  it.each([
    ['next start', 'nsv.config.js', ['npm', 'start'], ''],
    ['next start', 'deploy/nsv.config.js', ['npm', 'start'], ''],
    ['node --enable-source-maps server.js', 'nsv.config.js', ['npm', 'start'], ''],
    ['node server.js', 'nsv.config.js', ['server.js'], undefined],
    ['node server.js', 'deploy/nsv.config.js', ['../server.js'], undefined],
    ['node\nnowhere.js', 'nsv.config.js', ['npm', 'start'], ''],
  ])('takes over the script of package.json: %j, in %s', async (start, file, words, directory) => {
    writeFileSync(at('package.json'), JSON.stringify({ name: 'shop', scripts: { start } }));
    writeFileSync(at('server.js'), '');
    mkdirSync(at('deploy'));
    await run(['init', file], { cwd });
    const { apps } = await readConfig({ word: file }, { cwd, env: process.env as never });
    expect(apps).toMatchObject([{ name: 'shop', words }]);
    if (directory !== undefined) expect(resolve(cwd, dirname(file), apps[0]!.settings.cwd ?? '')).toBe(cwd);
  });

  it('writes comments that are valid settings when uncommented', async () => {
    await run(['init'], { cwd });
    const text = readFileSync(at('nsv.config.js'), 'utf8');
    writeFileSync(at('nsv.config.js'), text.replaceAll(/^( +)\/\/ (?=\w+:)/gm, '$1'));
    const { apps, notes } = await readConfig({ word: 'nsv.config.js' }, { cwd, env: process.env as never });
    expect(notes).toEqual([]);
    expect(apps[0]!.settings).toMatchObject({ waitReady: true, watch: ['src'], killTimeout: 5_000 });
  });

  it('overwrites no file without --force', async () => {
    writeFileSync(at('nsv.config.js'), 'mine');
    await expect(run(['init'], { cwd })).rejects.toMatchObject({ code: 'FILE_EXISTS' });
    expect(readFileSync(at('nsv.config.js'), 'utf8')).toBe('mine');
    await run(['init', '--force'], { cwd });
    expect(readFileSync(at('nsv.config.js'), 'utf8')).toContain('module.exports');
  });

  it('does not write through a link that leads nowhere', async () => {
    symlinkSync(at('elsewhere'), at('nsv.config.js'));
    await expect(run(['init'], { cwd })).rejects.toMatchObject({ code: 'FILE_EXISTS' });
    expect(existsSync(at('elsewhere'))).toBe(false);
  });

  it.each(['app.js', 'nsv.config.json', 'nsv.config.yaml'])('refuses to write a file called %s', async (name) => {
    await expect(run(['init', name], { cwd })).rejects.toMatchObject({ code: 'BAD_USAGE' });
  });
});
