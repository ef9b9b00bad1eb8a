import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AppSpec, parseAppSpec } from '../../../../src/config/app-spec.ts';
import type { Client } from '../../../../src/ipc/protocol.ts';
import { failure } from '../../../../src/shared/errors.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';
import { processView, type Run, run } from '../fake-context.ts';

const cwd = temporaryDirectory(afterAll);
const env = { PATH: process.env.PATH ?? '', PORT: '4000' };

beforeAll(() => {
  mkdirSync(join(cwd, 'other'));
  for (const name of ['app.cjs', 'other.cjs', 'other/app.cjs', 'busy.cjs', 'web'])
    writeFileSync(join(cwd, name), '#!/bin/sh\n', { mode: 0o755 });
});

/** Knows the stopped apps "known" and "web", the running app "busy", and no other. */
const daemon: Partial<Client> = {
  async list({ targets }) {
    const [target = ''] = targets;
    if (!['known', 'web', 'busy', '/^kno/'].includes(target)) throw failure('NO_SUCH_APP', { target });
    return [processView({ name: target, status: target === 'busy' ? 'online' : 'stopped' })];
  },
};

const start = (...words: string[]) => run(['start', ...words], { daemon, cwd, env });
/** As the daemon reads it. */
const launched = ({ calls }: Run) =>
  calls.flatMap(([method, params]) => {
    if (method !== 'launch') return [];
    const { app, ...how } = params as { app: AppSpec; wait: boolean; force: boolean };
    return { app: parseAppSpec(app), ...how };
  });
const app = async (...words: string[]) => launched(await start(...words))[0]?.app;

describe('nsv start', () => {
  it('takes a word for a file if there is one, even if an app has that name', async () => {
    const started = launched(await start('web'));
    expect(started).toMatchObject([{ app: { script: join(cwd, 'web'), name: 'web' }, wait: true, force: false }]);
  });

  it.each(['known', '/^kno/'])('takes a word for an app that the daemon knows: %s', async (target) => {
    expect((await start(target)).calls).toContainEqual(['start', { targets: [target], wait: true }]);
  });

  it('takes a word for a program on the PATH if there is neither file nor app', async () => {
    expect(await app('sleep', '--', '60')).toMatchObject({ script: expect.stringMatching(/\/sleep$/), args: ['60'] });
  });

  it('takes a word with blanks for a command line', async () => {
    expect(await app('echo a && sleep 60')).toMatchObject({ script: '/bin/sh', args: ['-c', 'echo a && sleep 60'] });
  });

  it.each<[string[], object]>([
    [['node', 'app.cjs'], { name: 'app', node: true, args: [] }],
    [['node', 'app.cjs', '--', '-v'], { name: 'app', node: true, args: ['-v'] }],
    [['npm', 'start'], { name: 'shop', node: true, script: join(cwd, 'app.cjs') }],
    [['npm', 'run', 'start', '--', '-v'], { name: 'shop', node: true, args: ['-v'] }],
    [['yarn', 'start', '-i', '2'], { name: 'shop', node: true, instances: 2 }],
  ])('takes several words for a command line if the first one runs the others: %j', async (words, expected) => {
    writeFileSync(join(cwd, 'package.json'), JSON.stringify({ name: 'shop', scripts: { start: 'node app.cjs' } }));
    expect(await app(...words)).toMatchObject(expected);
    rmSync(join(cwd, 'package.json'));
  });

  it('takes them for apps if the daemon knows one by the name of the first', async () => {
    const known: Partial<Client> = {
      list: async ({ targets }) => targets.map((name) => processView({ name, status: 'stopped' })),
    };
    const { calls } = await run(['start', 'npm', 'web2'], { daemon: known, cwd, env });
    expect(calls).toContainEqual(['start', { targets: ['npm'], wait: true }]);
    expect(calls).toContainEqual(['start', { targets: ['web2'], wait: true }]);
  });

  it('fails if nothing has that name, and launches a daemon if a file has it', async () => {
    await expect(start('nowhere.js')).rejects.toMatchObject({ code: 'NO_SUCH_SCRIPT' });
    expect((await run(['start', 'app.cjs'], { cwd, env })).launches).toEqual([true]);
  });
});

describe('nsv start without a word', () => {
  it('fails, and suggests the start script of the package if there is one', async () => {
    const home = join(cwd, 'package');
    mkdirSync(home);
    await expect(run(['start'], { cwd: home, env })).rejects.toThrow(/^nothing to start: name a file, .*"nsv init"$/);
    writeFileSync(join(home, 'package.json'), '{ "scripts": { "start": "next start" } }');
    await expect(run(['start'], { cwd: home, env })).rejects.toThrow(
      'nothing to start: to run the script "start" of package.json (next start), use "nsv start ."',
    );
  });
});

describe('nsv start of a running app', () => {
  it('fails without --force', async () => {
    await expect(start('busy')).rejects.toMatchObject({ code: 'ALREADY_RUNNING', exitCode: 5 });
  });

  it('restarts it with --force', async () => {
    expect((await start('busy', '--force')).calls).toContainEqual(['restart', { targets: ['busy'] }]);
  });
});

describe('nsv start with options', () => {
  it('passes everything after -- to the program', async () => {
    const spec = await app('app.cjs', '--name', 'web', '--', '--name', 'x', '--', '-i', '3');
    expect(spec).toMatchObject({ name: 'web', instances: 1, args: ['--name', 'x', '--', '-i', '3'] });
  });

  it.each<[string[], object]>([
    [['-i', '3'], { instances: 3 }],
    [['-i3'], { instances: 3 }],
    [['--instances=3'], { instances: 3 }],
    [['--listen', '81', '--listen', '[::1]:82'], { listen: [{ port: 81 }, { host: '::1', port: 82 }] }],
    [['--no-autorestart'], { autorestart: false }],
    [['--wait-ready'], { waitReady: true }],
    [
      ['--node-args', '--max-old-space-size=64 --no-warnings'],
      { interpreterArgs: ['--max-old-space-size=64', '--no-warnings'] },
    ],
    [['--max-restarts', 'unlimited'], { maxRestarts: Number.MAX_SAFE_INTEGER }],
  ])('applies %j before or after the file', async (options, expected) => {
    expect(await app(...options, 'app.cjs')).toMatchObject(expected);
    expect(await app('app.cjs', ...options)).toMatchObject(expected);
  });

  it('watches the given paths, or the directory for a bare --watch, which never takes the program as its value', async () => {
    expect((await app('app.cjs', '--watch'))?.watch).toEqual([cwd]);
    expect((await app('--watch', 'app.cjs'))?.watch).toEqual([cwd]);
    expect(await app('--watch', '--', 'app.cjs', 'x')).toMatchObject({ watch: [cwd], args: ['x'] });
    expect((await app('app.cjs', '--watch', 'src,lib'))?.watch).toEqual([join(cwd, 'src'), join(cwd, 'lib')]);
  });

  it('starts one instance per CPU for max, fewer for a negative number, but at least one', async () => {
    const most = (await app('app.cjs', '-i', 'max'))?.instances ?? 0;
    expect(most).toBeGreaterThan(0);
    expect((await app('app.cjs', '-i', '-1'))?.instances).toBe(Math.max(1, most - 1));
  });

  it('passes the environment of the shell, to a known app with --update-env', async () => {
    expect((await app('app.cjs'))?.env).toEqual(env);
    expect((await start('known', '--update-env')).calls).toContainEqual([
      'start',
      { targets: ['known'], wait: true, env },
    ]);
  });

  it('passes --no-wait and --force to the daemon', async () => {
    expect(launched(await start('app.cjs', '--no-wait', '-f'))).toMatchObject([{ wait: false, force: true }]);
    expect((await start('known', '--no-wait')).calls).toContainEqual(['start', { targets: ['known'], wait: false }]);
  });
});

describe('nsv start with several words', () => {
  it('starts each, in order, with the same settings and arguments', async () => {
    const started = launched(await start('app.cjs', 'other.cjs', '-i', '2', '--', 'x'));
    expect(started.map(({ app: { name, instances, args } }) => [name, instances, args])).toEqual([
      ['app', 2, ['x']],
      ['other', 2, ['x']],
    ]);
  });

  it('replaces running apps with --force, and stopped ones without it', async () => {
    const replaced = launched(await start('app.cjs', 'busy.cjs', '--force'));
    expect(replaced.map(({ app: { name }, force }) => [name, force])).toEqual([
      ['app', true],
      ['busy', true],
    ]);
    expect(launched(await start('app.cjs', 'web')).length).toBe(2);
  });

  it.each([
    [['app.cjs', 'nowhere.js'], 'NO_SUCH_SCRIPT'],
    [['app.cjs', 'other.cjs', '--name', 'web'], 'BAD_OPTION'],
    [['app.cjs', 'known', '-i', '2'], 'BAD_OPTION'],
    [['app.cjs', '-i', 'many', '--kill-timeout', 'soon'], 'BAD_OPTION'],
    [['app.cjs', '--port', '80'], 'BAD_USAGE'],
    [['app.cjs', 'other/app.cjs'], 'BAD_USAGE'],
    [['app.cjs', 'other/app.cjs', '--force'], 'BAD_USAGE'],
    [['app.cjs', 'busy.cjs'], 'ALREADY_RUNNING'],
    [[], 'BAD_USAGE'],
  ])('starts nothing if the command line is wrong: %j', async (words, code) => {
    const calls: string[] = [];
    const launch = async () => {
      calls.push('launch');
      return [];
    };
    const attempt = run(['start', ...words], { daemon: { ...daemon, launch }, cwd, env });
    await expect(attempt).rejects.toMatchObject({ code });
    expect(calls).toEqual([]);
  });
});
