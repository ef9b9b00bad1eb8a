// What is wrong although an app runs, and what nsv does by itself that fails: whoever looks at the app learns of it.
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { homeForEach } from '../../helpers/nsv.ts';

const nsv = homeForEach();
const at = (...names: string[]) => join(nsv.directory, ...names);
/** Ready at once. */
const waits = "process.send('ready'); setInterval(() => {}, 1e6);";

/** What is wrong with the app, without the details. */
const kinds = async (app: string) => (await nsv.list(app))[0]!.problems?.map(({ about }) => about) ?? [];
const has = (kind: string, app = 'web') => eventually(async () => (await kinds(app)).some((about) => about === kind));
/** With its standard output, however it ends. */
const says = async (...words: string[]) => (await nsv.run(...words)).stdout;

describe('a reload that fails', () => {
  const serves = 'require("node:http").createServer((_, a) => a.end()).listen(0);';
  const source = `${serves} if (require("node:fs").existsSync(${'process.argv[2]'})) throw new Error("typo");`;

  it.each<[by: string, options: string[]]>([
    ['a changed file', ['--watch', 'broken', '--watch-delay', '20']],
    ['a cron pattern', ['--cron-restart', '* * * * * *']],
    ['the age of the process', ['--max-age', '1s']],
  ])('is shown by every command about the app: %s', async (_by, options) => {
    const broken = at('broken');
    await nsv.ok('start', nsv.script('web.cjs', source), ...options, '--', broken);
    writeFileSync(broken, '');
    await has('reload');
    expect(await says('list')).toMatch(/online, reload failed \d+m?s ago/);
    expect(await says('health')).toMatch(/1 of 1 ready, online, reload failed \d+m?s ago/);
    expect(await says('show', 'web')).toMatch(/^ {2}reload +failed \d+m?s ago: .*: Error: typo$/m);
    expect(await says('doctor')).toMatch(/"web": reload failed \d+m?s ago: .*\n.*nsv reload web/);
    expect(await says('events', '--nostream')).toMatch(/web.* (reload failed|not replaced) .*Error: typo/);
  });

  it('is still shown after a daemon crash, until the old process is gone', async () => {
    const broken = at('broken');
    await nsv.ok('start', nsv.script('web.cjs', source), '-i', '2', '--', broken);
    writeFileSync(broken, '');
    await nsv.fails(6, 'reload', 'web');
    await nsv.replaceDaemon();
    await has('reload');
    rmSync(broken);
    await nsv.ok('reload', 'web');
    expect(await kinds('web')).toEqual([]);
    expect(await says('list')).not.toContain('failed');
  });
});

describe('a log that its app no longer writes to', () => {
  const start = () =>
    nsv.ok('start', nsv.script('web.cjs', 'setInterval(() => console.log("tick"), 20);'), '--output', 'o.log');

  it('is reported when it was deleted, until the app is reloaded', async () => {
    await start();
    await eventually(() => existsSync(at('o.log')));
    rmSync(at('o.log'));
    const deleted = /o\.log: the file was deleted, but the app still writes to it/;
    expect(await says('doctor')).toMatch(deleted);
    expect((await nsv.run('logs', 'web', '--nostream')).stderr).toMatch(deleted);
    expect(await nsv.fails(8, 'logs', 'rotate', 'web')).toMatch(/the file was deleted, .*\n.*reload/);
    expect(await kinds('web')).toEqual(['log file']);
    await nsv.ok('reload', 'web');
    expect(await kinds('web')).toEqual([]);
    await eventually(() => existsSync(at('o.log')));
  });

  it('is noticed by the daemon when it was renamed, until it is reopened', async () => {
    await start();
    await eventually(() => existsSync(at('o.log')));
    renameSync(at('o.log'), at('o.log.1'));
    await has('log file');
    expect(await says('show', 'web')).toContain('the file was renamed to');
    await nsv.ok('logs', 'reopen', 'web');
    expect(await kinds('web')).toEqual([]);
    await eventually(async () => (await says('events', 'web', '--nostream')).includes('web log file problem solved'));
    await eventually(() => readFileSync(at('o.log'), 'utf8').includes('tick'));
  });
});

describe('a file or command of an app that does not work', () => {
  it('is a problem: a PID file that cannot be written', async () => {
    await nsv.ok('start', nsv.script('web.cjs', waits), '--pid-file', at('pids', 'web.pid'));
    await has('pid file');
    mkdirSync(at('pids'));
    await nsv.ok('restart', 'web');
    expect(await kinds('web')).toEqual([]);
    rmSync(at('pids'), { recursive: true });
    await nsv.ok('restart', 'web');
    expect(await kinds('web')).toEqual(['pid file']);
    // The new process has the new settings, also while its predecessor runs.
    await nsv.ok('reload', 'web', '--pid-file', at('web.pid'));
    expect(await kinds('web')).toEqual([]);
    expect(readFileSync(at('web.pid'), 'utf8')).toBe(`${(await nsv.pids('web'))[0]}\n`);
    await nsv.ok('reload', 'web', '--pid-file', at('other.pid'));
    expect([existsSync(at('web.pid')), existsSync(at('other.pid'))]).toEqual([false, true]);
  });

  it('is a problem: an on-death command, until nsv reset', async () => {
    const options = ['--on-death', 'exit 3', '--restart-delay', '10ms', '--max-restarts', 'unlimited'];
    await nsv.ok('start', nsv.script('web.cjs', 'setTimeout(() => process.exit(1), 200);'), ...options, '--no-wait');
    await has('on-death');
    expect(await says('show', 'web')).toContain('on-death: the command "exit 3" failed: exit code 3');
    await nsv.ok('stop', 'web');
    expect(await kinds('web')).toEqual(['on-death']);
    await nsv.ok('reset', 'web');
    expect(await kinds('web')).toEqual([]);
  });

  it('is a problem: a Node that was removed; the app runs with that of the daemon', async () => {
    const node = at('node');
    copyFileSync(process.execPath, node);
    await nsv.ok('start', nsv.script('web.cjs', waits), '--interpreter', node);
    await nsv.ok('save');
    renameSync(node, at('away'));
    const examined = await says('doctor');
    expect(examined).toContain(`${node} is gone: the next start will use the daemon's Node`);
    expect(examined).not.toContain('cannot be started');
    await nsv.ok('kill');
    await nsv.ok('resurrect');
    expect(await nsv.list()).toMatchObject([{ status: 'online', problems: [{ about: 'interpreter' }] }]);
    renameSync(at('away'), node);
    await nsv.ok('restart', 'web');
    expect(await kinds('web')).toEqual([]);
  });
});

describe('the saved list', () => {
  it('is checked for apps that the next boot could not start', async () => {
    const directory = at('project');
    mkdirSync(directory);
    const script = nsv.script(join('project', 'web.cjs'), waits);
    await nsv.ok('start', script, '--cwd', directory);
    await nsv.ok('save');
    expect(await says('doctor')).toContain('no problems found');
    renameSync(directory, at('moved'));
    const examined = await says('doctor');
    const why = `the working directory "${directory}" is gone`;
    expect(examined).toContain(`"web" cannot be started again: ${why}`);
    await nsv.ok('delete', 'web');
    await nsv.ok('start', join(at('moved'), 'web.cjs'));
    const later = await says('doctor');
    expect(later).toContain(`"web" is saved for the next boot, but cannot be started: ${why}`);
    expect(later).toContain('run "nsv save" to update the list');
  });
});

describe('a job that has ended', () => {
  it.each<[source: string, options: string[], list: string, show: string]>([
    ['', [], 'completed', 'completed: will not run again by itself'],
    ['process.exitCode = 3;', [], 'ended, code 3', 'ended: will not run again by itself'],
    ['', ['--cron-restart', '0 4 * * *'], 'completed', 'completed: runs again on its cron schedule'],
  ])('says so, and whether it runs again: %s %s', async (source, options, list, show) => {
    await nsv.run('start', nsv.script('web.cjs', source), '--no-autorestart', ...options);
    await eventually(async () => (await nsv.list())[0]!.status === 'stopped');
    expect(await says('list')).toContain(list);
    expect(await says('show', 'web')).toContain(show);
  });
});

describe('a config file that has changed since', () => {
  const declare = (settings: object) =>
    writeFileSync(at('nsv.config.json'), JSON.stringify({ apps: [{ name: 'web', script: 'web.cjs', ...settings }] }));
  const kept = /web still has its old settings: run "nsv apply nsv\.config\.json( --env \w+)?" to change (.*)/;
  const noted = async (...words: string[]) => kept.exec((await nsv.run(...words)).stderr)?.[2];

  it('is mentioned by commands that do not read it', async () => {
    nsv.script('web.cjs', waits);
    declare({});
    await nsv.ok('start', 'nsv.config.json');
    expect(await noted('restart', 'web')).toBeUndefined();
    declare({ args: 'new', env: { PORT: 80 } });
    const changes = 'args none -> new, env (PORT)';
    expect(await noted('restart', 'web')).toBe(changes);
    expect(await noted('reload', 'web')).toBe(changes);
    await nsv.ok('stop', 'web');
    expect(await noted('start', 'web')).toBe(changes);
    await nsv.ok('apply', 'nsv.config.json');
    expect(await noted('restart', 'web')).toBeUndefined();
  });

  it('is read with the environment that it was started with', async () => {
    nsv.script('web.cjs', waits);
    declare({ env_blue: { A: 1 } });
    await nsv.ok('start', 'nsv.config.json', '--env', 'blue');
    declare({ env_blue: { A: 1 }, env: { B: 1 } });
    expect(await noted('restart', 'web')).toBe('env (B)');
  });

  it('is not mentioned if it cannot be used', async () => {
    nsv.script('web.cjs', waits);
    declare({});
    await nsv.ok('start', 'nsv.config.json');
    writeFileSync(at('nsv.config.json'), '{');
    expect((await nsv.run('restart', 'web')).stderr).toBe('');
    rmSync(at('nsv.config.json'));
    expect((await nsv.run('restart', 'web')).stderr).toBe('');
  });
});
