// Config files of the shapes that people have, from the command line on.
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { Foreground } from '../../helpers/foreground.ts';
import { ask } from '../../helpers/http.ts';
import { homeForEach, launcher, root } from '../../helpers/nsv.ts';
import { Terminal, whyNoTerminal } from '../../helpers/terminal.ts';

const nsv = homeForEach();
const shapes = join(root, 'test', 'fixtures', 'configs');
const stripsTypes = (process.features as { typescript?: unknown }).typescript !== undefined;

/** Runs `nsv` in a directory of the fixtures and throws what it said unless it ends with 0. */
async function ok(shape: string, ...words: string[]) {
  const ran = await nsv.runWith({ cwd: join(shapes, shape) }, ...words);
  expect(ran, `nsv ${words.join(' ')}: ${ran.stderr}`).toMatchObject({ code: 0 });
  return ran;
}

/** One line for each process: `name status`. */
async function standing(): Promise<string[]> {
  return (await nsv.list()).map(({ name, status }) => `${name} ${status}`).sort();
}

/** Of the first process. */
async function port(): Promise<number> {
  const [process] = await nsv.list();
  return Number(process!.ports[0]);
}

const online = (...names: string[]) => names.map((name) => `${name} online`);

describe('a config file', () => {
  const cases: { shape: string; words: string[]; processes: string[] }[] = [
    { shape: 'monorepo', words: ['ecosystem.config.js'], processes: online('api', 'worker') },
    { shape: 'mixed', words: ['ecosystem.config.cjs'], processes: online('queue', 'web', 'web') },
    { shape: 'env-blocks', words: ['pm2.json', '--env', 'production'], processes: online('web-production') },
    { shape: 'cron', words: ['processes.json'], processes: ['later stopped', 'nightly online'] },
    { shape: 'other-languages', words: ['ecosystem.config.yml'], processes: online('bash', 'line', 'python') },
    { shape: 'yaml', words: ['nsv.config.yaml'], processes: online('queue', 'web', 'web') },
    { shape: 'json', words: ['nsv.config.json'], processes: online('web', 'web') },
    { shape: 'function', words: ['ecosystem.config.js', '--env', 'production'], processes: online('web') },
    { shape: 'esm', words: ['nsv.config.mjs'], processes: online('web') },
    ...(stripsTypes ? [{ shape: 'typescript', words: ['nsv.config.ts'], processes: online('web', 'web') }] : []),
  ];

  it.each(cases)('starts, reloads and deletes apps: $shape', { tags: 'full' }, async ({ shape, words, processes }) => {
    const { stdout } = await ok(shape, 'start', ...words, '--json');
    expect(JSON.parse(stdout)).toHaveLength(processes.length);
    expect(await standing()).toEqual(processes);
    const before = await nsv.list();
    await ok(shape, 'reload', ...words);
    const after = await nsv.pids();
    expect(before.filter(({ pid }) => pid !== null && after.includes(pid))).toEqual([]);
    await ok(shape, 'delete', ...words);
    expect(await nsv.list()).toEqual([]);
  });
});

describe('an app of a config file', () => {
  it('runs in its own directory, where its program is looked for first', { tags: 'full' }, async () => {
    await ok('monorepo', 'start', '--only', 'api');
    expect(await ask(await port())).toEqual({ ok: true, body: join(shapes, 'monorepo', 'packages', 'api') });
  });

  it('takes variables from its --env block first, then its env, then its .env file, then the shell', async () => {
    const shell = { STAGE: 'of the shell', SHELL_ONLY: 'yes', DEBUG: 'no' };
    const at = join(shapes, 'env-blocks');
    await nsv.runWith({ cwd: at, env: shell }, 'start', 'pm2.json', '--env', 'production');
    const listening = await port();
    const variable = async (name: string) => ask(listening, { path: `/${name}` });
    const all = {
      STAGE: 'production',
      WORKERS: '4',
      DEBUG: 'true',
      API_URL: 'https://example.org/api',
      SHELL_ONLY: 'yes',
    };
    for (const [name, body] of Object.entries(all)) expect(await variable(name), name).toEqual({ ok: true, body });
  });

  it('ignores environment variables with the names of settings', { tags: 'full' }, async () => {
    const env = { instances: '7', name: 'other', NSV_INSTANCES: '7', max_restarts: '1' };
    await nsv.runWith({ cwd: join(shapes, 'esm'), env }, 'start');
    expect(await nsv.list()).toMatchObject([{ name: 'web', instances: 1 }]);
  });

  it('keeps its own variables on --update-env', { tags: 'full' }, async () => {
    await ok('env-blocks', 'start', 'pm2.json');
    await nsv.runWith({ env: { STAGE: 'of the shell', MORE: '1' } }, 'restart', 'web', '--update-env');
    const variables = JSON.parse(await nsv.ok('env', 'web', '--json'));
    expect(variables).toMatchObject({ STAGE: 'none', MORE: '1' });
  });

  it('increments the variable that the file names for each instance', { tags: 'full' }, async () => {
    await nsv.runWith({ cwd: join(shapes, 'json'), env: { WORKER: '10' } }, 'start');
    expect(JSON.parse(await nsv.ok('env', '1', '--json'))).toMatchObject({ WORKER: '11', NODE_APP_INSTANCE: '1' });
  });
});

describe('start', () => {
  it('finds the config file in a named directory, and resolves paths from there', async () => {
    await ok('.', 'start', './esm');
    expect(await standing()).toEqual(online('web'));
  });

  it('takes a config on standard input', async () => {
    const config = { apps: [{ name: 'web', script: join(shapes, 'web.cjs'), env: { PORT: 0 } }] };
    const started = new Foreground(nsv, ['-'], { command: 'start', input: JSON.stringify(config) });
    expect(await started.ended).toMatchObject({ code: 0 });
    expect(await standing()).toEqual(online('web'));
  });

  it('warns once about keys that have no effect, on standard error only', async () => {
    const { stdout, stderr } = await ok('monorepo', 'start', '--json');
    expect(stderr).toMatch(/^nsv: ecosystem\.config\.js: "deploy" has no effect: .*\n$/);
    expect(() => JSON.parse(stdout)).not.toThrow();
    expect((await ok('monorepo', 'restart', 'ecosystem.config.js')).stderr).not.toContain('no effect');
    expect((await ok('monorepo', 'delete', 'ecosystem.config.js')).stderr).toBe('');
  });

  it('starts nothing if one of the apps is running, unless --force is given', { tags: 'full' }, async () => {
    await ok('yaml', 'start', '--only', 'web');
    expect(await nsv.runWith({ cwd: join(shapes, 'yaml') }, 'start')).toMatchObject({ code: 5 });
    expect(await standing()).toEqual(online('web', 'web'));
    await ok('yaml', 'start', '--force', '-i', '1');
    expect(await standing()).toEqual(online('queue', 'web'));
  });

  it('starts an app only once its dependencies are ready, and skips it if they fail', async () => {
    const order = join(nsv.directory, 'order');
    const script = (name: string) => `sh -c 'sleep 0.2; echo ${name} >> ${order}; exec sleep 600'`;
    const app = (name: string, ...needs: string[]) => ({
      name,
      script: script(name),
      depends_on: needs,
    });
    const file = join(nsv.directory, 'nsv.config.json');
    writeFileSync(file, JSON.stringify([app('web', 'api'), app('api', 'db'), app('db')]));
    await nsv.ok('start', file);
    expect((await nsv.list()).map(({ name }) => name)).toEqual(['db', 'api', 'web']);
    await nsv.ok('delete', file);

    const failing = { name: 'db', script: 'exit 3', max_restarts: 0 };
    writeFileSync(file, JSON.stringify([app('web', 'api'), app('api', 'db'), failing, app('alone')]));
    expect(await nsv.fails(6, 'start', file)).toContain('skipped "web": it depends on "api", which is not ready');
    expect(await standing()).toEqual(['alone online', 'db errored']);
  });
});

describe('stop', () => {
  beforeEach(() => cpSync(join(shapes, 'idle.cjs'), join(nsv.directory, 'idle.cjs')));

  it('reads only the names from a config file, and stops no other app', async () => {
    const file = join(nsv.directory, 'apps.json');
    writeFileSync(file, JSON.stringify([{ name: 'a', script: 'idle.cjs' }]));
    await nsv.ok('start', 'idle.cjs', '--name', 'b');
    await nsv.ok('start', file);
    writeFileSync(
      file,
      JSON.stringify([
        { name: 'a', script: 'gone.cjs' },
        { name: 'c', script: 'gone.cjs' },
      ]),
    );
    await nsv.ok('stop', file);
    expect(await standing()).toEqual(['a stopped', 'b online']);
  });
});

describe('nsv run', () => {
  it('runs all apps of a config file, and ends when they have ended', { tags: 'full' }, async () => {
    const file = join(nsv.directory, 'nsv.config.json');
    const apps = [
      { name: 'web', script: 'echo web; exit 4', autorestart: false, depends_on: 'db' },
      { name: 'db', script: 'echo db; echo >&$NSV_NOTIFY_FD; sleep 0.5', wait_ready: true },
      { name: 'resting', script: 'echo never', autostart: false },
    ];
    writeFileSync(file, JSON.stringify(apps));
    expect(await new Foreground(nsv, []).ended).toMatchObject({ code: 4, stdout: 'db\nweb\n' });
    expect(await new Foreground(nsv, [file, '--only', 'db']).ended).toMatchObject({ code: 0, stdout: 'db\n' });
  });
});

it.skipIf(whyNoTerminal)('on a terminal, a start says how many apps are ready, and which are awaited', async () => {
  const script = nsv.script(
    'app.cjs',
    `const isThere = () => require('fs').existsSync(__dirname + '/go-' + process.env.NSV_APP);
    setInterval(() => isThere() && process.send('ready'), 50);`,
  );
  const apps = ['a', 'b', 'c'].map((name) => ({ name, script, wait_ready: true }));
  const file = nsv.script('three.json', JSON.stringify({ apps }));
  const terminal = new Terminal(['env', `NSV_HOME=${nsv.home}`, launcher, 'start', file]);
  await terminal.shows(/0 of 3 apps ready; waiting for a, b, c/);
  nsv.script('go-b', '');
  await terminal.shows(/1 of 3 apps ready; waiting for a, c/);
  nsv.script('go-a', '');
  await terminal.shows(/2 of 3 apps ready; waiting for c \(instance 0\) to be ready/);
  nsv.script('go-c', '');
  expect(await terminal.ended).toBe(0);
  expect(await standing()).toEqual(online('a', 'b', 'c'));
});
