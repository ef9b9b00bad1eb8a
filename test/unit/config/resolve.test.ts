import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemsElsewhere } from '../../../src/config/machine-settings.ts';
import { type Declaration, resolveApp } from '../../../src/config/resolve.ts';
import { usableCpus } from '../../../src/os/cgroup.ts';
import { findGroup, findUser } from '../../../src/os/users.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';

const cwd = temporaryDirectory(afterAll);
const at = (...names: string[]) => join(cwd, ...names);
const env = { PATH: at('bin') };
const isRoot = process.getuid?.() === 0;

beforeAll(() => {
  for (const directory of ['bin', 'srv', 'srv/web', 'node_modules']) mkdirSync(at(directory));
  for (const file of ['app.js', 'srv/app.js', 'srv/only.js', 'all.js', '42.js', '.hidden(1).js', 'two words.js'])
    writeFileSync(at(file), '');
  writeFileSync(at('srv', 'package.json'), '{ "main": "only.js" }');
  writeFileSync(at('srv', 'web', 'index.js'), '');
  writeFileSync(at('npm-cli.js'), '#!/usr/bin/env node\n', { mode: 0o755 });
  symlinkSync(at('npm-cli.js'), at('bin', 'npm'));
  for (const name of ['bin/node', 'bin/node20', 'mine']) symlinkSync(process.execPath, at(name));
  writeFileSync(at('bin', 'nodejs'), '#!/bin/sh\nexec node "$@"\n', { mode: 0o755 });
});

const resolve = (words: string[], settings: Declaration['settings'] = {}) => resolveApp({ words, settings, cwd, env });

describe('a directory', () => {
  it.each([
    ['./srv', 'srv', ['only.js']],
    ['srv/web/', 'web', ['web', 'index.js']],
  ])('%s is resolved to the file that Node would run, and names the app', async (word, name, file) => {
    expect(await resolve([word])).toMatchObject({ name, script: at('srv', ...file), node: true });
  });

  it.each(['srv', './bin'])('%s is not a program', async (word) => {
    await expect(resolve([word])).rejects.toMatchObject({ code: 'NO_SUCH_SCRIPT' });
  });
});

describe('a file', () => {
  it('becomes a complete, absolute description', async () => {
    const spec = await resolve(['./app.js', '--port', '80'], { killTimeout: 10 });
    expect(spec).toMatchObject({
      name: 'app',
      script: at('app.js'),
      args: ['--port', '80'],
      interpreter: at('bin', 'node'),
      interpreterArgs: [],
      node: true,
      instances: 1,
      cwd,
      env,
      killTimeout: 10,
      maxRestarts: 10,
    });
  });

  it('is looked up in the working directory of the user first, then in that of the app', async () => {
    expect(await resolve(['app.js'], { cwd: 'srv' })).toMatchObject({ script: at('app.js'), cwd: at('srv') });
    expect((await resolve(['only.js'], { cwd: 'srv' })).script).toBe(at('srv', 'only.js'));
  });

  it('has at least one process', async () => {
    expect((await resolve(['app.js'], { instances: '-1000' })).instances).toBe(1);
  });

  it('gives its logs and watched paths relative to the directory of the app', async () => {
    const spec = await resolve(['app.js'], {
      cwd: 'srv',
      outFile: 'out.log',
      errorFile: '/e.log',
      logFile: '../all.log',
      watch: ['.', 'web'],
    });
    const logs = { outFile: at('srv/out.log'), errorFile: '/e.log', logFile: at('all.log') };
    expect(spec).toMatchObject({ ...logs, watch: [at('srv'), at('srv/web')] });
  });

  it.each([
    ['all.js', 'app-all'],
    ['42.js', 'app-42'],
    ['.hidden(1).js', 'hidden-1-'],
    ['two words.js', 'two words'],
  ])('%s gives the app the name %s', async (file, name) => {
    expect((await resolve([file])).name).toBe(name);
  });

  it.each([
    ['max' as const, usableCpus()],
    ['-1' as const, Math.max(1, usableCpus() - 1)],
    [3, 3],
  ])('runs as many instances as requested: %s', async (instances, count) => {
    expect((await resolve(['app.js'], { instances })).instances).toBe(count);
  });
});

describe('a program on the PATH', () => {
  it('is executed directly even if it is written for Node, because npm and the like only start the real program', async () => {
    const spec = await resolve(['npm', 'start']);
    expect(spec).toMatchObject({ script: at('bin', 'npm'), args: ['start'], node: false, name: 'npm' });
    expect(spec.interpreter).toBeUndefined();
  });

  it('is run by the interpreter that the user names', async () => {
    const spec = await resolve(['npm'], { interpreter: 'node', interpreterArgs: ['--x'] });
    expect(spec).toMatchObject({ script: at('bin', 'npm'), interpreter: at('bin', 'node'), interpreterArgs: ['--x'] });
  });

  it.each([
    ['by its path', [at('bin', 'node'), 'app.js', 'x']],
    ['by a link', [at('mine'), 'app.js', 'x']],
    ['by a name with its version', ['node20', 'app.js', 'x']],
    ['in a shim of a version manager', ['nodejs', 'app.js', 'x']],
    ['without the extension of the file', ['node', './app', 'x']],
    ['in a command line', ['node ./app.js x']],
    ['in a command line with arguments', ['node app', 'x']],
  ])('is recognised as Node %s', async (_, words) => {
    expect(await resolve(words)).toMatchObject({ name: 'app', script: at('app.js'), args: ['x'], node: true });
  });

  it('is recognised as Node with options', async () => {
    const spec = await resolve(['node', '--import', 'tsx', '--inspect', 'srv', '-i'], { interpreterArgs: ['--mine'] });
    const options = ['--import', 'tsx', '--inspect', '--mine'];
    expect(spec).toMatchObject({ name: 'only', script: at('srv', 'only.js'), args: ['-i'], interpreterArgs: options });
  });

  it('is run by the shell if the command line needs one, even if it is Node', async () => {
    expect(await resolve(['node app.js > log'])).toMatchObject({ script: '/bin/sh', node: false });
  });

  it('is executed directly with the interpreter "none", even if it is Node', async () => {
    const spec = await resolve(['node', 'app.js'], { interpreter: 'none' });
    expect(spec).toMatchObject({ script: at('bin', 'node'), args: ['app.js'], node: false });
  });

  it('is replaced by the script that it runs if it is Node, except with -e', async () => {
    const spec = await resolve(['node', 'app.js', '--port', '80']);
    expect(spec).toMatchObject({ name: 'app', script: at('app.js'), args: ['--port', '80'], node: true });
    expect(await resolve(['node', '-e', '1'])).toMatchObject({
      script: at('bin', 'node'),
      args: ['-e', '1'],
      node: false,
    });
  });
});

describe('a command line', () => {
  it('is run by the shell, and named by its first word', async () => {
    const spec = await resolve(['npm run dev']);
    expect(spec).toMatchObject({ script: '/bin/sh', args: ['-c', 'npm run dev'], node: false, name: 'npm' });
  });

  it('gets further arguments at its end', async () => {
    const { args } = await resolve(['npm run dev --', 'a b', '$c']);
    expect(args).toEqual(['-c', 'npm run dev -- "$@"', 'sh', 'a b', '$c']);
  });
});

describe('a program that cannot be resolved', () => {
  it('is reported with all missing users and groups at once', async () => {
    const attempt = resolve(['app.js'], { uid: 'nobody-at-all', gid: 'no-such-group' });
    await expect(attempt).rejects.toMatchObject({ code: 'BAD_OPTION' });
    await expect(attempt).rejects.toThrow(/--uid "nobody-at-all" is not .*; --gid "no-such-group" is not/);
  });

  it.each([
    [['missing.js'], {}, 'NO_SUCH_SCRIPT', '"missing.js"'],
    [['srv'], {}, 'NO_SUCH_SCRIPT', '"srv"'],
    [['app.js'], { cwd: 'gone' }, 'NO_SUCH_DIRECTORY', at('gone')],
    [['app.js'], { cwd: 'app.js' }, 'NO_SUCH_DIRECTORY', at('app.js')],
    [['app.js'], { interpreter: 'bun' }, 'NO_SUCH_INTERPRETER', '"bun"'],
  ])('is reported with what is missing: %j with %j', async (words, settings, code, named) => {
    await expect(resolve(words, settings)).rejects.toMatchObject({ code, message: expect.stringContaining(named) });
  });

  it.each(['nsv.config.js', 'eco.config.cjs', 'ecosystem.config.mjs', 'web.config.json', 'process.json', 'apps.yaml'])(
    'may be a config file, which only node itself can run: %s',
    async (name) => {
      writeFileSync(at(name), '');
      const refused = {
        code: 'UNSUPPORTED',
        message: expect.stringContaining(`"${at(name)}" is not supported: it is a config file`),
      };
      await expect(resolve([name])).rejects.toMatchObject(refused);
      expect((await resolve(['node', name])).script).toBe(at(name));
    },
  );

  it('does not include a file that only looks like a config file', async () => {
    writeFileSync(at('config.js'), '');
    expect((await resolve(['config.js'])).script).toBe(at('config.js'));
  });
});

describe('a setting that only Linux has', () => {
  const settings = { nice: 5, oomScoreAdj: 300, ulimit: ['nofile=9', 'fsize=0:1M', 'core=0:unlimited'] };

  it('is rejected on other systems, with its value', () => {
    expect(problemsElsewhere(settings, 'linux')).toEqual([]);
    expect(problemsElsewhere(settings, 'darwin')).toEqual([
      '--oom-score-adj 300 works on Linux only, not on darwin',
      '--ulimit fsize=0:1M works on Linux only; on darwin it can be 0 or unlimited',
    ]);
    expect(problemsElsewhere({ ulimit: [] }, 'darwin')).toEqual([]);
  });
});

describe('a user', () => {
  it('is known by name and by number, and so is a group', () => {
    expect(findUser('root')).toEqual({ uid: 0, gid: 0, hasAccount: true });
    expect(findUser('0')).toEqual({ uid: 0, gid: 0, hasAccount: true });
    expect(findUser('4711')).toEqual({ uid: 4711, gid: 4711, hasAccount: false });
    expect(findUser('nobody-at-all')).toBeUndefined();
    expect(findGroup('4711')).toBe(4711);
    expect(findGroup('no-such-group')).toBeUndefined();
  });

  it.skipIf(!isRoot)('is stored as numbers, with the primary group if none is named', async () => {
    const user = findUser('nobody');
    const spec = await resolve(['app.js'], { uid: 'nobody' });
    expect(spec).toMatchObject({ uid: String(user?.uid), gid: String(user?.gid) });
  });

  it.skipIf(!isRoot)('may have more groups, kept as numbers', async () => {
    const root = String(findGroup('root'));
    expect((await resolve(['app.js'], { groups: ['4711', 'root', root] })).groups).toEqual(['4711', root]);
    const attempt = resolve(['app.js'], { groups: ['4711', 'no-such-group'] });
    await expect(attempt).rejects.toThrow('--groups "no-such-group" is not a group of this machine');
  });

  it.skipIf(isRoot).each([{ uid: 'root' }, { gid: 'root' }, { groups: ['root'] }])(
    '%j is allowed for root only',
    async (who) => {
      await expect(resolve(['app.js'], who)).rejects.toThrow('only root can use --uid, --gid and --groups');
    },
  );
});
