// New settings for an app that exists: from its config file, or from the command line of restart and reload.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { ask, freePort } from '../../helpers/http.ts';
import { homeForEach } from '../../helpers/nsv.ts';
import { Visitors } from '../../helpers/visitors.ts';

const nsv = homeForEach();

/** Answers with the arguments of Node, its own arguments and its name in nsv. */
async function startWeb(...options: string[]): Promise<number> {
  const port = await freePort();
  const answer = `JSON.stringify([process.execArgv, process.argv.slice(2), process.env.name])`;
  const source = `require('http').createServer((_, res) => res.end(${answer})).listen(${port})`;
  await nsv.ok('start', nsv.script('web.cjs', source), ...options);
  await eventually(async () => (await nsv.list()).every(({ ports }) => ports.length > 0));
  return port;
}

async function said(port: number): Promise<unknown> {
  const answer = await ask(port);
  return answer.ok ? JSON.parse(answer.body) : answer;
}

describe('a restart with new settings', () => {
  it('prints the changes on one line, keeps all other settings, and can remove settings', async () => {
    const port = await startWeb('--max-age', '1h');
    const limits = ['--max-memory-restart', '300M', '--cron-restart', '0 3 * * *', '--watch'];
    const more = ['--node-args', '--no-warnings', ...limits, '--', 'x'];
    const { code, stderr } = await nsv.run('restart', 'web', ...more);
    expect([code, stderr.trim().split('\n')]).toEqual([
      0,
      [expect.stringMatching(/^nsv: web: args none -> x, interpreterArgs/)],
    ]);
    expect(await said(port)).toEqual([['--no-warnings'], ['x'], 'web']);
    const shown = await nsv.ok('show', 'web');
    for (const part of ['300.0mb', '0 3 * * *', '1h', nsv.directory]) expect(shown).toContain(part);
    const less = ['--no-watch', '--cron-restart', 'null', '--no-max-memory-restart', '--node-args', ''];
    await nsv.ok('restart', 'web', ...less);
    expect(await said(port)).toEqual([[], ['x'], 'web']);
    const cleared = await nsv.ok('show', 'web');
    for (const part of ['300.0mb', '0 3 * * *']) expect(cleared).not.toContain(part);
    expect(cleared).toContain('1h');
  });

  it('applies --watch even if one instance does not become ready with the new settings', { tags: 'full' }, async () => {
    const source =
      "if (process.env.NSV_INSTANCE === '1' && process.argv[2]) process.exit(1); setInterval(() => {}, 1000)";
    const file = nsv.script('half.cjs', source);
    await nsv.ok('start', file, '-i', '2', '--max-restarts', '0');
    expect(await nsv.run('restart', 'half', '--watch', '--watch-delay', '20', '--', 'fail')).toMatchObject({ code: 6 });
    const [before] = await nsv.pids();
    writeFileSync(file, `${source};`);
    await eventually(async () => {
      const [first] = await nsv.list();
      return first?.status === 'online' && first.pid !== before;
    });
  });

  it('changes the schedule, which reopens the sockets, and the name at the same time', { tags: 'full' }, async () => {
    const port = await startWeb();
    await nsv.ok('restart', 'web', '--schedule', 'rr', '--name', 'other');
    expect(await nsv.list()).toMatchObject([{ name: 'other', status: 'online' }]);
    await eventually(async () => (await ask(port)).ok);
  });

  it('rejects settings that it cannot apply, and changes nothing', { tags: 'full' }, async () => {
    await startWeb('-i', '2');
    await nsv.ok('start', nsv.script('other.cjs', 'setInterval(() => {}, 1e6)'));
    const before = await nsv.pids();
    const rows: [words: string[], code: number, message: string][] = [
      [['web', '--name', 'other'], 5, 'there is another app "other"'],
      [['web', '--max-memory-restart', 'much'], 2, '"much"'],
      [['all', '--name', 'one'], 2, 'cannot be shared by 2 apps'],
      [['0', '--max-age', '1h'], 2, 'name the app'],
      [['web', '--cwd', 'nowhere'], 3, 'nowhere'],
    ];
    for (const [words, code, message] of rows)
      expect(await nsv.run('restart', ...words)).toMatchObject({ code, stderr: expect.stringContaining(message) });
    const started = await nsv.run('start', 'web', '--max-age', '1h');
    expect(started).toMatchObject({ code: 2, stderr: expect.stringContaining('"nsv reload web" with these options') });
    expect(await nsv.pids()).toEqual(before);
  });
});

describe('a reload with new settings', () => {
  it('loses no request, even with a new name, which the next daemon keeps', async () => {
    const port = await startWeb('-i', '2');
    const visitors = new Visitors(8, { port });
    await eventually(() => visitors.answers.length > 32);
    const before = await nsv.pids();
    await nsv.ok('reload', 'web', '--name', 'other', '--node-args', '--no-warnings');
    await eventually(() => visitors.answers.at(-1)?.includes('other'));
    expect(await visitors.leave()).toEqual([]);
    expect(await said(port)).toEqual([['--no-warnings'], [], 'other']);
    const views = await nsv.list();
    expect(views).toMatchObject([
      { name: 'other', id: 0 },
      { name: 'other', id: 1 },
    ]);
    expect(views.filter(({ pid }) => before.includes(pid))).toEqual([]);
    await nsv.ok('show', 'other');
    expect((await nsv.run('show', 'web')).code).toBe(3);
    const renamed = await nsv.pids();
    await nsv.replaceDaemon();
    expect(await nsv.list()).toMatchObject([
      { name: 'other', pid: renamed[0] },
      { name: 'other', pid: renamed[1] },
    ]);
    expect((await nsv.run('restart', 'web')).code).toBe(3);
  });

  it('keeps the old settings and the old name if it fails', { tags: 'full' }, async () => {
    const port = await startWeb();
    const { code } = await nsv.run('reload', 'web', '--name', 'other', '--node-args', '--no-such-option');
    expect(code).toBe(6);
    expect(await said(port)).toEqual([[], [], 'web']);
    expect(await nsv.list()).toMatchObject([{ name: 'web', status: 'online' }]);
  });

  it('rejects settings that would reopen the sockets', { tags: 'full' }, async () => {
    await startWeb();
    expect(await nsv.fails(2, 'reload', 'web', '--schedule', 'rr')).toContain('use "nsv restart"');
  });
});

describe('a config file', { tags: 'full' }, () => {
  const config = () => join(nsv.directory, 'nsv.config.json');
  const write = (script: string, settings: object) =>
    writeFileSync(config(), JSON.stringify({ apps: [{ name: 'web', script, ...settings }] }));

  it('adds a request limit with startOrReload, and the process is replaced once it reaches it', async () => {
    const port = await freePort();
    const script = nsv.script('web.cjs', `require('http').createServer((_, res) => res.end('ok')).listen(${port});`);
    write(script, {});
    await nsv.ok('startOrReload', config());
    write(script, { max_requests: 50 });
    await nsv.ok('startOrReload', config());
    const [before] = await nsv.list();
    for (let count = 0; count < 80; count += 1) expect(await ask(port)).toEqual({ ok: true, body: 'ok' });
    await eventually(async () => (await nsv.list())[0]?.pid !== before!.pid);
  });

  it('applies another environment to a running app on reload; start fails and names that command', async () => {
    const script = nsv.script('web.cjs', 'setInterval(() => {}, 1e6)');
    write(script, { env_production: { A: 'b' } });
    await nsv.ok('start', config());
    const stderr = await nsv.fails(5, 'start', config(), '--env', 'production');
    expect(stderr).toContain('nsv.config.json --env production" to give it the settings');
    await nsv.ok('reload', config(), '--env', 'production', '--max-age', '1h');
    expect(await nsv.ok('env', '0')).toContain('A=b');
    expect(await nsv.ok('show', 'web')).toContain('1h');
    expect((await nsv.run('reload', config(), '--no-max-age')).code).toBe(2);
  });
});
