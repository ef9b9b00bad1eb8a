import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../../../src/config/file/read.ts';
import { run } from '../fake-context.ts';

let cwd: string;
const at = (name: string) => join(cwd, name);

beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), 'nsv-init-')));
});
afterEach(() => rmSync(cwd, { recursive: true }));

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
      { word: file, environment: 'production' },
      { cwd, env: process.env as never },
    );
    expect(notes).toEqual([]);
    expect(apps).toMatchObject([{ name: 'shop', words: ['lib/main.js'] }]);
    expect(apps[0]!.settings.fileEnv).toEqual({ NODE_ENV: 'production' });
  });

  it('replaces no file unless it is forced to', async () => {
    writeFileSync(at('nsv.config.js'), 'mine');
    await expect(run(['init'], { cwd })).rejects.toMatchObject({ code: 'FILE_EXISTS' });
    expect(readFileSync(at('nsv.config.js'), 'utf8')).toBe('mine');
    await run(['init', '--force'], { cwd });
    expect(readFileSync(at('nsv.config.js'), 'utf8')).toContain('module.exports');
  });

  it.each(['app.js', 'nsv.config.json', 'nsv.config.yaml'])('writes no file called %s', async (name) => {
    await expect(run(['init', name], { cwd })).rejects.toMatchObject({ code: 'BAD_USAGE' });
  });
});
