// Apps that bundle nsv/queue: the bundle is built without the packages that a store may need, and finds them when it runs.
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { root } from '../helpers/nsv.ts';
import { install, installPackages } from '../helpers/packages.ts';
import { outputOf } from '../helpers/program.ts';
import { hasRedis, RedisServer } from '../helpers/redis.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';

if (!hasRedis) console.log('no tests of bundles with Redis: redis-server is not installed');
const bundlers = await installPackages('webpack', 'webpack-cli', 'esbuild', 'rollup', '@rollup/plugin-node-resolve');

let directory: string;
beforeEach(() => {
  directory = temporaryDirectory();
});

/** As a package of its own, not by a link: a bundler looks at what is inside node_modules with other eyes. */
function installQueue(folder: string): void {
  const target = join(folder, 'node_modules', 'nsv');
  for (const part of ['package.json', 'dist', 'queue', 'app'])
    cpSync(join(root, part), join(target, part), { recursive: true });
}

function give(folder: string, name: string): void {
  symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
}

const sqlite = `import { createQueue, sqliteStore } from 'nsv/queue';
  const queue = createQueue('q', { store: sqliteStore({ file: 'q.sqlite' }) });`;
const redis = `import { createQueue, redisStore } from 'nsv/queue';
  const queue = createQueue('q', { store: redisStore({ connection: process.env.REDIS }) });`;
const rest = `
  queue.process(({ data }) => data + 1);
  queue.add(1)
    .then(({ id }) => queue.waitFor(id))
    .then((result) => console.log('result', result), ({ code }) => console.log(code))
    .then(() => queue.close());`;

const builds: Record<string, (tool: (name: string) => string) => string[]> = {
  'webpack to CommonJS': (tool) => [
    tool('webpack'),
    ...[
      '--target',
      'node',
      '--mode',
      'production',
      '--entry',
      './app.mjs',
      '-o',
      'out',
      '--output-filename',
      'app.cjs',
    ],
  ],
  'esbuild to CommonJS': (tool) => [
    tool('esbuild'),
    'app.mjs',
    '--bundle',
    '--platform=node',
    '--format=cjs',
    '--outfile=out/app.cjs',
  ],
  'esbuild to ESM': (tool) => [
    tool('esbuild'),
    'app.mjs',
    '--bundle',
    '--platform=node',
    '--format=esm',
    '--outfile=out/app.mjs',
  ],
  'rollup to CommonJS': (tool) => [tool('rollup'), 'app.mjs', '-p', 'node-resolve', '-f', 'cjs', '-o', 'out/app.cjs'],
  'rollup to ESM': (tool) => [tool('rollup'), 'app.mjs', '-p', 'node-resolve', '-f', 'es', '-o', 'out/app.mjs'],
};

describe.skipIf(bundlers.missing)('an app that is bundled', () => {
  it.each(Object.keys(builds))('by %s works with each store, and says what is not installed', async (name) => {
    bundlers.link(directory);
    const tool = (bin: string) => join(directory, 'node_modules', '.bin', bin);
    for (const [store, source] of Object.entries({ sqlite, redis })) {
      const folder = join(directory, store);
      mkdirSync(join(folder, 'node_modules'), { recursive: true });
      installQueue(folder);
      writeFileSync(join(folder, 'app.mjs'), source + rest);
      const [program, ...words] = builds[name]!(tool);
      await outputOf(program!, words, { cwd: folder });
      const file = join('out', `app.${name.endsWith('ESM') ? 'mjs' : 'cjs'}`);
      const hasStore = store === 'redis' ? hasRedis : true;
      if (store === 'redis') {
        expect(await outputOf(process.execPath, [file], { cwd: folder, env: { REDIS: 'redis://127.0.0.1:1' } })).toBe(
          'NSV_NO_REDIS\n',
        );
        give(folder, 'ioredis');
      } else if (!process.getBuiltinModule('node:sqlite' as 'node:fs')) {
        expect(await outputOf(process.execPath, [file], { cwd: folder })).toBe('NSV_NO_SQLITE\n');
        give(folder, 'libsql');
      }
      if (!hasStore) continue;
      expect(await outputOf(process.execPath, [file], { cwd: folder, env: await redisOf(store) })).toBe('result 2\n');
    }
  });

  it('by esbuild can hand the class of its database over', async () => {
    bundlers.link(directory);
    const folder = join(directory, 'own');
    mkdirSync(join(folder, 'node_modules'), { recursive: true });
    installQueue(folder);
    writeFileSync(
      join(folder, 'app.mjs'),
      `import { createQueue, sqliteStore } from 'nsv/queue';
       import { Database } from './database.mjs';
       const queue = createQueue('q', { store: sqliteStore({ file: 'q.sqlite', database: Database }) });${rest}`,
    );
    // Like a package that is only in the bundle.
    writeFileSync(
      join(folder, 'database.mjs'),
      `export class Database { constructor(file) { console.log('opens', file.split('/').pop()); throw new Error('no'); } }`,
    );
    const words = ['app.mjs', '--bundle', '--platform=node', '--format=cjs', '--outfile=out/app.cjs'];
    await outputOf(join(directory, 'node_modules', '.bin', 'esbuild'), words, { cwd: folder });
    expect(await outputOf(process.execPath, ['out/app.cjs'], { cwd: folder })).toMatch(/^opens q\.sqlite\n/);
  });
});

async function redisOf(store: string): Promise<NodeJS.ProcessEnv> {
  if (store !== 'redis') return {};
  const server = await RedisServer.start();
  onTestFinished(() => server.remove());
  return { REDIS: server.url };
}

describe('an app of Next', () => {
  it('is built, and adds tasks', async ({ skip }) => {
    const missing = await install(directory, ['next', 'react', 'react-dom']);
    if (missing !== undefined) skip(missing);
    mkdirSync(join(directory, 'pages', 'api'), { recursive: true });
    installQueue(directory);
    give(directory, 'libsql');
    writeFileSync(join(directory, 'pages', 'index.js'), 'export default () => null;\n');
    writeFileSync(
      join(directory, 'pages', 'api', 'add.js'),
      `import { createQueue, redisStore, sqliteStore } from 'nsv/queue';
       const store = process.env.REDIS ? redisStore({ connection: process.env.REDIS }) : sqliteStore({ file: 'q.sqlite' });
       const queue = createQueue('q', { store });
       export default async (request, response) => response.json(await queue.add(1, { id: 'a' }));\n`,
    );
    writeFileSync(join(directory, 'package.json'), '{"name":"app","private":true}');
    const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' };
    await outputOf(join(directory, 'node_modules', '.bin', 'next'), ['build'], { cwd: directory, env });
    const script = `
      const { createServer } = require('node:http');
      const app = require('next')({ dev: false, dir: ${JSON.stringify(directory)} });
      app.prepare().then(() => {
        const server = createServer(app.getRequestHandler()).listen(0, '127.0.0.1', async () => {
          const response = await fetch('http://127.0.0.1:' + server.address().port + '/api/add');
          console.log(await response.text());
          process.exit(0);
        });
      });`;
    writeFileSync(join(directory, 'serve.cjs'), script);
    expect(await outputOf(process.execPath, ['serve.cjs'], { cwd: directory, env })).toContain(
      '{"id":"a","added":true}',
    );
  });
});
