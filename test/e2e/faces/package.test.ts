// What is published: packed, installed globally, and run through the link that npm makes.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hello, homeForEach, root } from '../../helpers/nsv.ts';

const nsv = homeForEach();

const npm = (...words: string[]) =>
  execFileSync('npm', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

describe('the package', () => {
  it('holds what runs and nothing else, and works from the link of a global installation', async () => {
    const [packed] = JSON.parse(npm('pack', '--json', '--ignore-scripts', '--pack-destination', nsv.directory));
    const folders = packed.files.map(({ path }: { path: string }) => path.split('/')[0]);
    expect([...new Set(folders)].sort()).toEqual([
      'LICENSE',
      'README.md',
      'api',
      'bin',
      'config',
      'dist',
      'package.json',
    ]);

    const prefix = join(nsv.directory, 'prefix');
    mkdirSync(prefix);
    npm(
      'install',
      '--global',
      '--prefix',
      prefix,
      '--offline',
      '--ignore-scripts',
      join(nsv.directory, packed.filename),
    );
    const program = join(prefix, 'bin', 'nsv');
    expect(readlinkSync(program)).toContain('node_modules/nsv/bin/nsv');
    expect(await nsv.runWith({ program }, '--version')).toMatchObject({ code: 0, stdout: `${packed.version}\n` });
    const asPm2 = join(prefix, 'bin', 'nsv-pm2');
    expect(await nsv.runWith({ program: asPm2 }, '--version')).toMatchObject({
      code: 0,
      stdout: `${packed.version}\n`,
    });
    expect(await nsv.runWith({ program }, 'start', hello, '--', '0')).toMatchObject({ code: 0, stderr: '' });
    expect(await nsv.runWith({ program }, 'kill')).toMatchObject({ code: 0 });
  });
});

describe('the command line', () => {
  it('needs no launcher', async () => {
    const main = join(root, 'dist', 'cli', 'main.js');
    const { code, stdout } = await nsv.runWith(
      { program: process.execPath },
      main,
      'start',
      '/bin/sleep',
      '--no-wait',
      '--json',
      '--',
      '600',
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([{ name: 'sleep' }]);
  });

  it('says what is missing when there is no Node', async () => {
    const { code, stderr } = await nsv.runWith({ env: { NSV_NODE: 'no-such-node' } }, 'list');
    expect(code).toBe(127);
    expect(stderr).toContain('no-such-node');
  });
});
