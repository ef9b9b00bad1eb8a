// `nsv daemon --foreground` as systemd runs it.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { successionCode } from '../../../src/shared/daemon-exit.ts';
import { eventually } from '../../helpers/eventually.ts';
import { Foreground, type Ways } from '../../helpers/foreground.ts';
import { ask, freePort } from '../../helpers/http.ts';
import { fixture, hello, homeForEach, isAlive, launcher, processesWith, root, written } from '../../helpers/nsv.ts';

const nsv = homeForEach();
const daemon = (ways: Ways = {}) => new Foreground(nsv, ['--foreground'], { command: 'daemon', ...ways });
const served = /daemon ready/;
const sleeper = (name: string) => nsv.sleeper(name, '--no-wait');

/** A systemd-notify that writes down what systemd is told. */
function withNotify(): { env: Record<string, string>; reported: () => string; file: string } {
  const file = join(nsv.directory, 'told');
  nsv.script('systemd-notify', `#!/bin/sh\necho "$NOTIFY_SOCKET: $*" >>${file}\n`);
  const env = { PATH: `${nsv.directory}:${process.env.PATH}`, NOTIFY_SOCKET: '/run/systemd/notify' };
  return { env, file, reported: () => readFileSync(file, 'utf8') };
}

describe('the daemon in the foreground', () => {
  it('notifies systemd once the saved apps run, and exits with 0 once all are stopped', async () => {
    await sleeper('job');
    await sleeper('idle');
    await nsv.ok('stop', 'idle');
    await nsv.ok('save');
    await nsv.ok('kill');
    const { env, reported, file } = withNotify();
    const first = daemon({ env });
    expect(await written(file)).toBe('/run/systemd/notify: READY=1 STATUS=apps: 2\n');
    const [job, idle] = await nsv.list();
    expect([job?.status, idle?.status]).toEqual(['online', 'stopped']);
    first.sends('SIGTERM');
    expect(await first.ended).toMatchObject({ code: 0, signal: null });
    expect(isAlive(job!.pid!)).toBe(false);
    await eventually(() => reported().includes('STOPPING=1 EXTEND_TIMEOUT_USEC=15000000'));
  });

  it('does not pass NOTIFY_SOCKET on to the processes that it starts', { tags: 'full' }, async () => {
    const { env } = withNotify();
    const first = daemon({ env });
    await first.prints(served);
    const talker = nsv.script('talks.sh', '#!/bin/sh\necho hello\nexec sleep 600\n');
    await nsv.ok('start', talker, '--name', 'talks', '--time', '--no-wait');
    const [shown] = await nsv.list();
    // By then the formatter is there, a child of the daemon with its environment.
    expect(await written(shown!.outFile!)).toContain('hello');
    expect(processesWith(`NSV_HOME=${nsv.home}`, `NOTIFY_SOCKET=${env.NOTIFY_SOCKET}`)).toEqual([first.pid]);
  });

  it('logs to the journal as well as to daemon.log', { tags: 'full' }, async () => {
    await daemon({ env: { JOURNAL_STREAM: '8:1' } }).prints(/^<6>daemon ready/m);
    expect(nsv.log()).toMatch(served);
  });

  it('leaves the apps running when it dies, and the next daemon adopts them', { tags: 'full' }, async () => {
    const first = daemon();
    await first.prints(served);
    await sleeper('job');
    await nsv.ok('save');
    const [before] = await nsv.list();
    first.sends('SIGKILL');
    await first.ended;
    expect(isAlive(before!.pid!)).toBe(true);
    const second = daemon();
    // A command that comes in between waits for it, instead of starting a daemon that would be in its way.
    const [after] = await nsv.list();
    expect(nsv.daemonPid).toBe(second.pid);
    expect(after).toMatchObject({ pid: before?.pid, restarts: 0 });
    await nsv.ok('kill');
    expect(await second.ended).toMatchObject({ code: 0 });
    expect(existsSync(join(nsv.home, 'supervised'))).toBe(false);
  });

  it('exits with the succession code on an update, and the next daemon adopts the apps', { tags: 'full' }, async () => {
    const first = daemon();
    await first.prints(served);
    await sleeper('job');
    const [before] = await nsv.list();
    const updating = nsv.ok('update');
    expect(await first.ended).toMatchObject({ code: successionCode });
    const second = daemon();
    expect(await updating).toContain(`pid ${second.pid})`);
    const [after] = await nsv.list();
    expect(after).toMatchObject({ pid: before?.pid, restarts: 0 });
  });

  it('does not resurrect apps that were stopped or deleted before it died', { tags: 'full' }, async () => {
    const first = daemon();
    await first.prints(served);
    await sleeper('job');
    await sleeper('gone');
    await nsv.ok('save');
    await nsv.ok('stop', 'job');
    await nsv.ok('delete', 'gone');
    first.sends('SIGKILL');
    await first.ended;
    await daemon().prints(served);
    expect(await nsv.list()).toMatchObject([{ name: 'job', status: 'stopped' }]);
  });

  it('leaves the saved apps to the next daemon if it dies while starting them', { tags: 'full' }, async () => {
    const [go, began] = ['go', 'began'].map((name) => join(nsv.directory, name)) as [string, string];
    nsv.script('waits.sh', `#!/bin/sh\necho >>${began}\nuntil [ -e ${go} ]; do sleep 0.1; done\n`);
    const app = { name: 'late', script: '/bin/sleep', args: ['600'], pre_start: './waits.sh' };
    nsv.script('nsv.config.json', JSON.stringify({ apps: [app] }));
    writeFileSync(go, '');
    await nsv.ok('start', 'nsv.config.json');
    await nsv.ok('save');
    await nsv.ok('kill');
    for (const file of [go, began]) rmSync(file);
    const first = daemon();
    await written(began);
    const state = join(nsv.home, 'state.json');
    await eventually(() => existsSync(state) && readFileSync(state, 'utf8').includes('"intent":{"kind":"start"'));
    first.sends('SIGKILL');
    await first.ended;
    writeFileSync(go, '');
    await daemon().prints(served);
    await eventually(async () => (await nsv.list())[0]?.status === 'online');
  });

  it('refuses a home that another daemon serves', { tags: 'full' }, async () => {
    await sleeper('job');
    const [before] = await nsv.list();
    const { code, stderr } = await daemon().ended;
    expect([code, stderr]).toEqual([4, expect.stringContaining(`another daemon is already running for ${nsv.home}`)]);
    expect(await nsv.list()).toMatchObject([{ pid: before?.pid, restarts: 0 }]);
  });

  it('reloads the running apps on SIGHUP', { tags: 'full' }, async () => {
    const first = daemon();
    await first.prints(served);
    const port = await freePort();
    await nsv.ok('start', hello, '--name', 'web', '-i', '2', '--', String(port));
    await sleeper('idle');
    const [before, second] = await nsv.list();
    await nsv.ok('stop', 'idle', String(second?.id));
    first.sends('SIGHUP');
    await first.prints(/nsv: reload app="web"/);
    const after = await nsv.list();
    expect(after.map(({ status }) => status)).toEqual(['online', 'stopped', 'stopped']);
    expect(after[0]?.pid).not.toBe(before?.pid);
  });

  it('needs the flag --foreground', { tags: 'full' }, async () => {
    expect(await nsv.run('daemon')).toMatchObject({ code: 2, stderr: expect.stringContaining('--foreground') });
  });
});

describe('a socket from systemd', () => {
  const supervisor = join(root, 'test', 'fixtures', 'boot', 'supervisor.py');
  const supervised = (port: number) =>
    daemon({ program: ['/usr/bin/env', 'python3', supervisor, String(port), launcher] });

  it('is passed to the app that listens there, and refuses no client while daemons and apps are replaced', async () => {
    const port = await freePort();
    const system = supervised(port);
    await system.prints(served);
    await nsv.ok('start', hello, '--name', 'web', '-i', '2', '--', String(port));
    const refused: string[] = [];
    let isOver = false;
    const visit = async () => {
      while (!isOver) {
        const answer = await ask(port);
        if (!answer.ok) refused.push(answer.why);
        // Not faster than the machine can bear it.
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    };
    const visits = [visit(), visit()];
    await nsv.replaceDaemon();
    await nsv.ok('reload', 'web');
    // Clients wait in it while nobody is there to accept.
    await nsv.ok('stop', 'web');
    await nsv.ok('start', 'web');
    isOver = true;
    await Promise.all(visits);
    expect(refused).toEqual([]);
    system.sends('SIGTERM');
    expect(await system.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('ended -9\nended 0\n') });
  });

  it('is passed under its own name to a program in any language', { tags: 'full' }, async () => {
    const port = await freePort();
    const system = supervised(port);
    await system.prints(served);
    const program = fixture('tells-descriptors.py');
    await nsv.ok('start', program, '--name', 'py', '--listen', String(port), '--interpreter', 'python3');
    expect(await ask(port)).toEqual({ ok: true, body: 'front' });
    await nsv.ok('kill');
    await system.ended;
  });
});

describe('a list that is saved automatically', () => {
  it('is up to date after nsv kill, and keeps stopped apps stopped', { tags: 'full' }, async () => {
    const first = daemon();
    await first.prints(served);
    await nsv.ok('save', '--auto');
    await sleeper('one');
    await sleeper('two');
    await nsv.ok('stop', 'two');
    await nsv.ok('kill');
    await first.ended;
    await daemon().prints(served);
    const facts = async () => (await nsv.list()).map(({ name, status }) => [name, status]);
    await eventually(async () => (await facts())[0]?.[1] === 'online');
    expect(await facts()).toEqual([
      ['one', 'online'],
      ['two', 'stopped'],
    ]);
  });
});
