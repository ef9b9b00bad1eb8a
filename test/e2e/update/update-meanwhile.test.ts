// What else happens while the daemon is replaced.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connectIfRunning } from '../../../src/ipc/client.ts';
import { homePaths } from '../../../src/shared/paths.ts';
import { eventually } from '../../helpers/eventually.ts';
import { Foreground } from '../../helpers/foreground.ts';
import { ask, freePort } from '../../helpers/http.ts';
import { fixture, hello, homeForEach, leadersWith, processesWith } from '../../helpers/nsv.ts';
import { procFile } from '../../helpers/proc.ts';

const nsv = homeForEach();
const leaders = (app: string) => leadersWith(`NSV_APP=${app}`, `NSV_HOME=${nsv.home}`);
/** A process that has just ended has no environment, and is none. */
const isHook = (pid: number) => procFile(pid, 'environ')?.includes('NSV_MARK=') === false;

describe('during nsv update', () => {
  it('a second "nsv update" waits, and then replaces the new daemon', { tags: 'full' }, async () => {
    await nsv.sleeper('one');
    const [before] = await nsv.list();
    const reported = await Promise.all([nsv.ok('update', '--json'), nsv.ok('update', '--json')]);
    const updates = reported.map((text) => JSON.parse(text) as { before: { pid: number }; after: { pid: number } });
    updates.sort((a, b) => Number(b.after.pid === nsv.daemonPid) - Number(a.after.pid === nsv.daemonPid));
    expect(updates[0]?.before.pid).toBe(updates[1]?.after.pid);
    expect(await nsv.list()).toMatchObject([{ pid: before?.pid }]);
  });

  it('every command runs exactly once, on the old or the new daemon', async () => {
    await nsv.sleeper('one');
    const update = nsv.ok('update');
    const commands = Array.from({ length: 5 }, (_, index) => nsv.sleeper(`app-${index}`, '--no-wait'));
    const looks = Array.from({ length: 5 }, () => nsv.list());
    await Promise.all([update, ...commands, ...looks]);
    const views = await nsv.list();
    expect(views.map(({ name }) => name).sort()).toEqual(['app-0', 'app-1', 'app-2', 'app-3', 'app-4', 'one']);
    expect(new Set(views.map(({ id }) => id)).size).toBe(6);
  });

  it('a reload in progress finishes first', { tags: 'full' }, async () => {
    const script = nsv.script('slow.js', "setTimeout(() => process.send('ready'), 1500); setInterval(() => {}, 1e3);");
    await nsv.ok('start', script, '--name', 'slow', '--wait-ready');
    const daemon = nsv.daemonPid;
    const reload = nsv.run('reload', 'slow', '--json');
    await eventually(() => leaders('slow').length === 2);
    const update = nsv.run('update', '--no-reload');
    const { code, stdout } = await reload;
    expect(code).toBe(0);
    expect((await update).code).toBe(0);
    expect(nsv.daemonPid).not.toBe(daemon);
    const [{ pid }] = JSON.parse(stdout) as [{ pid: number }];
    expect(await nsv.list()).toMatchObject([{ pid, status: 'online', restarts: 0 }]);
    await eventually(() => leaders('slow').length === 1);
  });

  it('the list can be saved while the update waits for a slow start', { tags: 'full' }, async () => {
    const go = join(nsv.directory, 'go');
    const options = ['--name', 'slow', '--wait-ready', '--listen-timeout', '1m', '--', go];
    const start = nsv.run('start', fixture('ready-late.cjs'), ...options);
    await eventually(() => leaders('slow').length === 1);
    const connection = await connectIfRunning(homePaths(nsv.home));
    const reported: string[] = [];
    connection!.onProgress(({ text }) => reported.push(text));
    const update = connection!.client.upgrade({ command: ['/bin/false'], env: {} });
    const failed = expect(update).rejects.toMatchObject({ code: 'CANNOT_UPDATE' });
    await eventually(() => reported.some((text) => text.startsWith('waiting for "start" on slow')));
    await nsv.ok('save');
    writeFileSync(go, '');
    expect((await start).code).toBe(0);
    await failed;
    connection!.close();
  });

  it.each(['pre_start', 'post_stop'])(
    'a %s hook that never ends does not block the update forever',
    { tags: 'full' },
    async (hook) => {
      const hanging = {
        name: 'one',
        script: '/bin/sleep',
        args: ['600'],
        listen_timeout: '1s',
        [hook]: 'exec sleep 600',
      };
      const config = nsv.script('apps.json', JSON.stringify({ apps: [hanging] }));
      const starting = nsv.run('start', config, '--no-wait');
      const stopping = starting.then(() => (hook === 'post_stop' ? nsv.run('stop', 'one') : undefined));
      const hookPid = await eventually(() => processesWith('NSV_APP=one', `NSV_HOME=${nsv.home}`).find(isHook));
      const daemon = nsv.daemonPid;
      expect(await nsv.fails(4, 'update')).toContain(`${hook} of one still runs after 1s`);
      await nsv.sleeper('other');
      process.kill(hookPid, 'SIGKILL');
      await stopping;
      expect((await nsv.run('update')).code).toBe(0);
      expect(nsv.daemonPid).not.toBe(daemon);
    },
  );

  it('a stopped process of an app stays stopped', { tags: 'full' }, async () => {
    await nsv.ok('start', hello, '--name', 'web', '-i', '2', '--', '0');
    const [first, second] = await nsv.list();
    await nsv.ok('stop', String(second?.id));
    await nsv.ok('update');
    const after = await nsv.list();
    expect(after).toMatchObject([{ status: 'online' }, { status: 'stopped', pid: null }]);
    expect(after[0]?.pid).not.toBe(first?.pid);
  });

  it('an app that is stopped or deleted before its turn to be reloaded is not started', { tags: 'full' }, async () => {
    const go = nsv.script('go', '');
    const slow = ['start', fixture('ready-late.cjs'), '--name'];
    await nsv.ok(...slow, 'slow', '--wait-ready', '--listen-timeout', '1m', '--', go);
    for (const name of ['stopped', 'deleted']) await nsv.ok(...slow, name, '--no-wait', '--', go);
    const update = nsv.run('update', '--json');
    await eventually(() => leaders('slow').length === 2);
    await nsv.ok('stop', 'stopped');
    await nsv.ok('delete', 'deleted');
    writeFileSync(go, '');
    const { code, stdout } = await update;
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ reloaded: ['slow'], failed: [] })]);
    expect(await nsv.list()).toMatchObject([
      { name: 'slow', status: 'online' },
      { status: 'stopped', pid: null },
    ]);
  });

  it('processes that die are restarted once each', { tags: 'full' }, async () => {
    await nsv.sleeper('one', '-i', '6', '--max-restarts', 'unlimited');
    const before = (await nsv.list()).map(({ pid }) => pid!);
    const update = nsv.run('update');
    for (const pid of before) {
      process.kill(pid, 'SIGKILL');
      await new Promise((resolve) => setImmediate(resolve));
      await nsv.run('ping');
    }
    expect((await update).code).toBe(0);
    const after = await eventually(async () => {
      const views = await nsv.list();
      return views.every(({ restarts, status }) => restarts === 1 && status === 'online') && views;
    });
    expect(leaders('one').sort()).toEqual(after.map(({ pid }) => pid).sort());
  });

  it('the new daemon notices the death of a process with a pending connection', { tags: 'full' }, async () => {
    const port = await freePort();
    await nsv.ok('start', hello, '--name', 'web', '--schedule', 'rr', '--', String(port));
    await nsv.ok('update', '--no-reload');
    const { pid } = await eventually(async () => (await nsv.list()).find(({ ports }) => ports.length > 0));
    process.kill(pid!, 'SIGSTOP');
    const answer = ask(port);
    const isConnected = new RegExp(`:${port.toString(16).toUpperCase().padStart(4, '0')} \\S+ 01 `);
    await eventually(() =>
      ['tcp', 'tcp6'].some((table) => isConnected.test(readFileSync(`/proc/net/${table}`, 'utf8'))),
    );
    // The daemon has accepted it before it answers this.
    await nsv.list();
    process.kill(pid!, 'SIGKILL');
    expect((await answer).ok).toBe(true);
    expect(await nsv.list()).toMatchObject([{ restarts: 1 }]);
  });

  it('nsv events keeps following, with the new daemon', { tags: 'full' }, async () => {
    const follower = await follow('old');
    await nsv.ok('update');
    await nsv.sleeper('new');
    await follower.hears('new');
    await nsv.ok('kill');
    expect(await follower.events.ended).toMatchObject({ code: 0 });
  });

  it('nsv events ends with the new daemon even if it was suspended during the update', { tags: 'full' }, async () => {
    const { events } = await follow('old');
    events.sends('SIGSTOP');
    await nsv.ok('update');
    await nsv.ok('kill');
    events.sends('SIGCONT');
    expect(await events.ended).toMatchObject({ code: 0 });
  });

  /** Has heard of `app`, which is started for it, when this resolves. */
  async function follow(app: string) {
    await nsv.sleeper(app);
    const events = new Foreground(nsv, ['--json'], { command: 'events' });
    const hears = (name: string) =>
      eventually(async () => {
        await nsv.ok('restart', name);
        return events.stdout.includes(`"app":"${name}"`);
      });
    await hears(app);
    return { events, hears };
  }
});
