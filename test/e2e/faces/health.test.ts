// `nsv health`, and the app that answers probes for a daemon.
import { describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { freePort } from '../../helpers/http.ts';
import { hello, homeForEach } from '../../helpers/nsv.ts';
import { probe } from '../../helpers/probe.ts';

const nsv = homeForEach();

describe('nsv health', () => {
  it('reports whether all apps, or one of them, are ready', async () => {
    expect(await nsv.run('health')).toMatchObject({ code: 4 });
    await nsv.sleeper('web', '-i', '2');
    await nsv.sleeper('idle');
    expect(await nsv.ok('health')).toMatch(
      /^ready\n {2}web {3}2 of 2 ready, online\n {2}idle {2}1 of 1 ready, online\n$/,
    );
    await nsv.ok('stop', 'idle');
    expect(await nsv.run('health')).toMatchObject({
      code: 9,
      stdout: expect.stringContaining('0 of 1 ready, stopped'),
      stderr: expect.stringContaining('the daemon is not ready: unready'),
    });
    expect(await nsv.run('health', 'idle')).toMatchObject({ code: 9, stderr: expect.stringContaining('"idle"') });
    const { apps, ...all } = JSON.parse(await nsv.ok('health', 'web', '--json'));
    expect(all).toEqual({ status: 'unready', live: true, started: true });
    expect(apps).toEqual([{ name: 'web', wanted: 2, ready: 2, status: 'online', restarts: 0, giveup: null }]);
    expect(await nsv.run('health', 'other')).toMatchObject({ code: 3 });
  });

  it.each([
    [['--host', '0.0.0.0'], '--host needs --serve'],
    [['--force'], '--force needs --serve'],
    [['web', '--serve', '9000'], 'leave out "web"'],
    [['web', 'worker'], 'too many arguments'],
    [['--serve', '70000'], '--serve must be'],
  ])('refuses %j', { tags: 'full' }, async (words, why) => {
    expect(await nsv.run('health', ...words)).toMatchObject({ code: 2, stderr: expect.stringContaining(why) });
    expect(nsv.daemonPid).toBeUndefined();
  });
});

describe('nsv health --serve', { tags: 'full' }, () => {
  it('answers for the daemon, and for the next one', async () => {
    const port = await freePort();
    const [started] = JSON.parse(await nsv.ok('health', '--serve', String(port), '--json'));
    expect(started).toMatchObject({ name: `health-${port}`, status: 'online', ports: [`127.0.0.1:${port}`] });
    const codeOf = async (path: string) => (await probe(port, path)).code;
    // It does not tell of itself.
    expect(await probe(port, '/ready')).toMatchObject({ code: 503, text: expect.stringContaining('"apps":[]') });
    await nsv.ok('start', hello, '--name', 'web');
    expect(await Promise.all(['/live', '/startup', '/ready', '/ready/web'].map(codeOf))).toEqual([200, 200, 200, 200]);
    await nsv.replaceDaemon();
    expect(await codeOf('/ready/web')).toBe(200);
    await nsv.ok('start', '/bin/false', '--name', 'broken', '--max-restarts', '0', '--no-wait');
    await eventually(async () => (await codeOf('/live')) === 503);
    expect(await codeOf('/ready/web')).toBe(200);
    await nsv.ok('delete', 'broken');
    expect(await codeOf('/live')).toBe(200);
    await nsv.killDaemonAndGuard();
    expect(await codeOf('/live')).toBe(503);
  });

  it('listens on the loopback address only, unless --host names another', async () => {
    const [port, open] = [await freePort(), await freePort()];
    await nsv.ok('health', '--serve', String(port));
    await nsv.ok('health', '--serve', String(open), '--host', '0.0.0.0');
    expect((await nsv.list()).map(({ ports }) => ports)).toEqual([[`127.0.0.1:${port}`], [String(open)]]);
    expect(await nsv.run('health', '--serve', String(port))).toMatchObject({ code: 5 });
    await nsv.ok('health', '--serve', String(port), '--force');
  });
});
