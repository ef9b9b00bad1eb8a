import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Declaration, nameOf, resolveApp } from '../../../../src/config/resolve.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';

const cwd = temporaryDirectory(afterAll);
const at = (...names: string[]) => join(cwd, ...names);
const env = { PATH: at('bin') };

describe('a script of a package', () => {
  const scripts = {
    start: 'node server.js --port 80',
    again: 'npm run start -- x',
    env: 'cross-env A=1 B=2 node server.js',
    bin: 'B=3 serve-it here',
    tsx: 'tsx --no-cache src/main.ts',
    shell: 'node server.js | cat',
    pre: 'node server.js',
    prepre: 'echo',
    starter: 'nodemon server.js',
    python: 'python3 app.py',
    missing: 'node dist/main.js',
    loop: 'npm run loop',
    nested: 'yarn start',
  };
  const reported: string[] = [];
  const run = (words: string[], settings: Declaration['settings'] = {}, dialect?: Declaration['dialect']) => {
    reported.length = 0;
    return resolveApp({ words, settings, cwd: at('shop', 'src'), env, dialect, notice: (text) => reported.push(text) });
  };

  beforeAll(() => {
    mkdirSync(at('bin'));
    symlinkSync(process.execPath, at('bin', 'node'));
    writeFileSync(at('bin', 'npm'), '#!/usr/bin/env node\n', { mode: 0o755 });
    const bins = at('shop', 'node_modules', '.bin');
    for (const directory of ['shop/src', 'shop/node_modules/tsx', 'plain'])
      mkdirSync(at(directory), { recursive: true });
    mkdirSync(bins);
    const about = { name: '@acme/shop', version: '1.2.3', config: { colour: 'red' }, scripts };
    writeFileSync(at('shop', 'package.json'), JSON.stringify(about));
    for (const file of ['server.js', 'src/main.ts']) writeFileSync(at('shop', file), '');
    for (const name of ['serve-it', 'nodemon', 'tsx'])
      writeFileSync(join(bins, name), '#!/usr/bin/env -S node --no-warnings\n', { mode: 0o755 });
    writeFileSync(at('shop/node_modules/tsx/package.json'), '{ "name": "tsx", "exports": "./loader.mjs" }');
    writeFileSync(at('shop/node_modules/tsx/loader.mjs'), '');
    writeFileSync(at('plain', 'package.json'), '{ "main": "main.js", "scripts": { "build": "tsc" } }');
  });

  it('is replaced by the program that it runs, with the directory and the variables of npm', async () => {
    const spec = await run(['npm', 'start', '--', '-v'], { fileEnv: { C: '1' } });
    expect(spec).toMatchObject({
      name: 'shop',
      script: at('shop', 'server.js'),
      args: ['--port', '80', '-v'],
      node: true,
      cwd: at('shop'),
      binPath: [at('shop/node_modules/.bin')],
      fileEnv: {
        C: '1',
        npm_package_json: at('shop', 'package.json'),
        npm_package_name: '@acme/shop',
        npm_package_version: '1.2.3',
        npm_package_config_colour: 'red',
        npm_command: 'start',
        npm_lifecycle_event: 'start',
        npm_lifecycle_script: 'node server.js --port 80',
        INIT_CWD: at('shop', 'src'),
      },
    });
    expect(reported).toEqual([
      `runs "node server.js --port 80 -v", the script "start" of ${at('shop', 'package.json')}`,
    ]);
  });

  it.each([
    [['npm start'], 'shop', '--port 80'],
    [['yarn', 'start', '-v'], 'shop', '--port 80 -v'],
    [['pnpm start'], 'shop', '--port 80'],
    [['..'], 'shop', '--port 80'],
    [['../package.json'], 'shop', '--port 80'],
    [['npm', 'run', 'again', 'y'], 'shop-again', '--port 80 x y'],
    [['yarn env'], 'shop-env', ''],
  ])('is found by %j, and gives the name %s', async (words, name, args) => {
    const expected = { name, script: at('shop', 'server.js'), args: args.split(' ').filter(Boolean), node: true };
    expect(await run(words)).toMatchObject({ ...expected, cwd: at('shop') });
  });

  it('keeps what Yarn gives to Node for Plug’n’Play, once', async () => {
    writeFileSync(at('shop', '.pnp.cjs'), '');
    const options = ['--require', at('shop', '.pnp.cjs')];
    expect((await run(['yarn', 'start'])).interpreterArgs).toEqual(options);
    expect((await run(['yarn', 'run', 'nested'])).interpreterArgs).toEqual(options);
    expect((await run(['npm', 'start'])).interpreterArgs).toEqual([]);
    writeFileSync(at('shop', '.pnp.loader.mjs'), '');
    const loader = ['--experimental-loader', at('shop', '.pnp.loader.mjs')];
    expect((await run(['yarn start'])).interpreterArgs).toEqual([...options, ...loader]);
    for (const file of ['.pnp.cjs', '.pnp.loader.mjs']) rmSync(at('shop', file));
  });

  it('may set variables, which override those of a config file', async () => {
    expect((await run(['npm run env'], { fileEnv: { A: '0' } })).fileEnv).toMatchObject({ A: '1', B: '2' });
  });

  it.each([
    [['npm run bin'], 'shop-bin', { B: '3' }, ['here']],
    [['npx serve-it there'], 'serve-it', {}, ['there']],
  ])('may run a program of a package: %j', async (words, name, fileEnv, args) => {
    const script = at('shop/node_modules/.bin/serve-it');
    const expected = { name, script, interpreterArgs: ['--no-warnings'], args, node: true };
    expect(await run(words)).toMatchObject({ ...expected, fileEnv });
  });

  it.each([
    [['npm run tsx'], {}, 'shop-tsx'],
    [['npx', 'tsx', '--no-cache', 'main.ts'], {}, 'main'],
    [['../node_modules/.bin/tsx', '--no-cache', 'main.ts'], {}, 'main'],
    [['main.ts'], { interpreter: 'tsx' }, 'main'],
  ])('runs tsx in the same process: %j', async (words, settings, name) => {
    const expected = {
      name,
      script: at('shop/src/main.ts'),
      args: [],
      interpreterArgs: ['--import', 'tsx'],
      node: true,
    };
    const spec = await run(words, settings);
    expect(spec).toMatchObject(expected);
    if (!('interpreter' in settings)) expect(spec.fileEnv).toMatchObject({ TSX_DISABLE_CACHE: '1' });
  });

  it.each([
    ['shell', '"node server.js | cat" needs a shell'],
    ['pre', 'package.json also has a script "prepre"'],
    ['starter', '"nodemon" starts another process'],
    ['missing', 'the file that it runs does not exist'],
    ['loop', 'the scripts call each other'],
  ])('is run through npm, with the reason printed: %s', async (name, why) => {
    const expected = { name: `shop-${name}`, script: at('bin', 'npm'), args: ['run', name], node: false };
    expect(await run(['npm', 'run', name])).toMatchObject({ ...expected, cwd: at('shop', 'src') });
    expect(reported).toEqual([
      `runs "npm run ${name}" as it is, with a gap at each reload: the script "${name}" of ${at('shop', 'package.json')}: ${why}`,
    ]);
  });

  it('is run through npm if it does not start Node or cannot be found, or on request', async () => {
    expect(await run(['npm run python'])).toMatchObject({ script: '/bin/sh', args: ['-c', 'npm run python'] });
    expect(reported).toEqual([expect.stringMatching(/"python.*" does not start Node$/)]);
    expect(await run(['npm', '-w', 'api', 'start'])).toMatchObject({ script: at('bin', 'npm') });
    expect(reported.at(-1)).toMatch(/: nsv does not know what npm starts there$/);
    expect(await run(['npm', 'start'], { interpreter: 'none' })).toMatchObject({ script: at('bin', 'npm') });
  });

  it('has the name that PM2 would give it in a command line of PM2', async () => {
    expect(await run(['npm', 'start'], {}, 'pm2')).toMatchObject({ name: 'npm', script: at('shop', 'server.js') });
    expect(nameOf(['npm', 'start'], at('shop'), 'pm2')).toBe('npm');
    expect(nameOf(['npm', 'start'], at('shop'))).toBe('shop');
  });

  it('must exist in a valid package.json, unless the directory has a main file', async () => {
    const missing = {
      code: 'NO_PACKAGE_SCRIPT',
      message: expect.stringContaining('has no script "stat"; it has "start"'),
    };
    await expect(run(['npm', 'run', 'stat'])).rejects.toMatchObject(missing);
    await expect(resolveApp({ settings: {}, cwd, env, words: ['plain/package.json'] })).rejects.toMatchObject({
      code: 'NO_PACKAGE_SCRIPT',
    });
    writeFileSync(at('plain', 'main.js'), '');
    expect(await resolveApp({ settings: {}, cwd, env, words: ['plain/package.json'] })).toMatchObject({
      script: at('plain', 'main.js'),
      name: 'main',
    });
    writeFileSync(at('plain', 'package.json'), '{');
    await expect(resolveApp({ settings: {}, cwd, env, words: ['./plain'] })).rejects.toMatchObject({
      code: 'BAD_PACKAGE',
    });
  });
});
