// What is published: packed, installed globally and into a project, and run through the links that npm makes.
import { mkdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hello, homeForEach, root } from '../../helpers/nsv.ts';
import { outputOf } from '../../helpers/program.ts';

const nsv = homeForEach();

const run = (cwd: string, program: string, ...words: string[]) => outputOf(program, words, { cwd });

interface Packed {
  file: string;
  version: string;
  /** The paths of all files, sorted; the hash in the name of a part of the command line is left out. */
  paths: string[];
}

async function pack(): Promise<Packed> {
  const text = await run(root, 'npm', 'pack', '--json', '--ignore-scripts', '--pack-destination', nsv.directory);
  const [{ filename, version, files }] = JSON.parse(text);
  const paths = files.map(({ path }: { path: string }) => path.replace(/-[A-Z0-9]{8}\./, '.'));
  return { file: join(nsv.directory, filename), version, paths: paths.sort() };
}

/** Into a folder of the test; without scripts and without asking a registry. */
async function install(file: string, ...words: string[]): Promise<void> {
  await run(nsv.directory, 'npm', 'install', '--offline', '--ignore-scripts', ...words, file);
}

describe('the package', () => {
  it('contains exactly the files that it needs', async () => {
    const { paths } = await pack();
    expect([...new Set(paths.map((path) => path.split('/')[0]))]).toEqual([
      'LICENSE',
      'README.md',
      'api',
      'app',
      'bin',
      'config',
      'dist',
      'package.json',
      'queue',
    ]);
    expect(paths.filter((path) => !path.startsWith('dist/'))).toEqual([
      'LICENSE',
      'README.md',
      'api/index.d.cts',
      'app/index.d.cts',
      'app/index.d.mts',
      'bin/guard.sh',
      'bin/nsv',
      'bin/pm2-compat',
      'bin/process-1.sh',
      'config/index.cjs',
      'config/index.d.cts',
      'config/schema.json',
      'package.json',
      'queue/index.d.cts',
      'queue/index.d.mts',
    ]);
    const others = paths.filter((path) => path.startsWith('dist/') && !path.endsWith('.js'));
    expect(others).toEqual(['dist/LICENSES.txt', 'dist/app/index.mjs', 'dist/package.json', 'dist/queue/index.mjs']);
  });

  it('works from the link of a global installation', { tags: 'full' }, async () => {
    const { file, version } = await pack();
    const prefix = join(nsv.directory, 'prefix');
    mkdirSync(prefix);
    await install(file, '--global', '--prefix', prefix);
    const program = join(prefix, 'bin', 'nsv');
    expect(readlinkSync(program)).toContain('node_modules/nsv/bin/nsv');
    expect(await nsv.runWith({ program }, '--version')).toMatchObject({ code: 0, stdout: `${version}\n` });
    const asPm2 = join(prefix, 'bin', 'nsv-pm2');
    expect(await nsv.runWith({ program: asPm2 }, '--version')).toMatchObject({ code: 0, stdout: `${version}\n` });
    expect(await nsv.runWith({ program }, 'start', hello, '--', '0')).toMatchObject({ code: 0, stderr: '' });
    expect(await nsv.runWith({ program }, 'kill')).toMatchObject({ code: 0 });
  });

  it('works in a project: its commands, its exports and the places in its stacks', { tags: 'full' }, async () => {
    const { file, version } = await pack();
    const project = join(nsv.directory, 'project');
    mkdirSync(project);
    await install(file, '--prefix', project);
    const program = (name: string) => join(project, 'node_modules', '.bin', name);
    for (const name of ['nsv', 'nsv-pm2']) {
      const ran = await nsv.runWith({ program: program(name) }, '--version');
      expect(ran).toMatchObject({ code: 0, stdout: `${version}\n` });
    }

    const names =
      "console.log([typeof connect, typeof NsvError, JSON.stringify(defineConfig({ apps: [] }))].join(' '))";
    const imported = `import { connect, NsvError } from 'nsv'; import { defineConfig } from 'nsv/config'; ${names}`;
    const required = `const { connect, NsvError } = require('nsv'); const { defineConfig } = require('nsv/config'); ${names}`;
    const reported = 'function function {"apps":[]}\n';
    expect(await run(project, process.execPath, '--input-type=module', '--eval', imported)).toBe(reported);
    expect(await run(project, process.execPath, '--input-type=commonjs', '--eval', required)).toBe(reported);
    const fromApp = `import * as imported from 'nsv/app'; import { createRequire } from 'node:module';
      const required = createRequire(import.meta.url)('nsv/app');
      console.log(typeof imported.ready, imported.isReady(), (required.ready(), imported.isReady()));`;
    expect(await run(project, process.execPath, '--input-type=module', '--eval', fromApp)).toBe(
      'function false true\n',
    );
    const find = "['nsv/config/schema.json', 'nsv/package.json'].map((name) => require.resolve(name)).join('\\n')";
    const [schema, manifest] = (await run(project, process.execPath, '--print', find)).trim().split('\n');
    expect(JSON.parse(readFileSync(schema!, 'utf8'))).toHaveProperty('$schema');
    expect(JSON.parse(readFileSync(manifest!, 'utf8'))).toMatchObject({ name: 'nsv', version });

    const preload = join(root, 'test', 'fixtures', 'cli', 'throws.cjs');
    const env = { NODE_OPTIONS: `--require ${preload}`, NSV_TEST_BUG: 'in what it calls', NSV_HOME: undefined };
    const { stderr } = await nsv.runWith({ program: program('nsv'), env }, 'list');
    expect(stderr).toMatch(/at homePaths \(\S+\/dist\/cli\/command-line\.js:\d+:\d+\)/);
  });
});

describe('the command line', () => {
  it('runs without the launcher', { tags: 'full' }, async () => {
    const main = join(root, 'dist', 'cli', 'main.js');
    const words = ['start', '/bin/sleep', '--no-wait', '--json', '--', '600'];
    const { code, stdout } = await nsv.runWith({ program: process.execPath }, main, ...words);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([{ name: 'sleep' }]);
  });

  it('reports the Node that is missing', async () => {
    const { code, stderr } = await nsv.runWith({ env: { NSV_NODE: 'no-such-node' } }, 'list');
    expect(code).toBe(127);
    expect(stderr).toContain('no-such-node');
  });
});
