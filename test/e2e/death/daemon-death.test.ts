// The daemon dies, at whatever moment; the apps are there, and so is the next daemon.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { FallingDaemon } from '../../helpers/falling-daemon.ts';
import { homeForEach, isAlive, processesWith } from '../../helpers/nsv.ts';
import { variants } from '../../helpers/variants.ts';
import { writeSteps } from '../../helpers/write-steps.ts';

const nsv = homeForEach();

describe('a daemon that was killed', () => {
  it('is restarted by its guard, and its apps are unchanged', async () => {
    await nsv.sleeper('one', '-i', '2');
    await nsv.sleeper('stopped', '--no-wait');
    await nsv.ok('stop', 'stopped');
    const before = await nsv.list();
    const dead = await nsv.killDaemon();
    await eventually(() => nsv.daemonPid !== dead && nsv.log().includes('adopted the apps'));
    const after = await nsv.list();
    const facts = (views: typeof before) =>
      views.map(({ id, name, slot, pid, status, restarts, since, outFile }) => [
        [id, name, slot, pid, status],
        [restarts, since, outFile],
      ]);
    expect(facts(after)).toEqual(facts(before));
    expect(nsv.log()).toContain('the guard starts a new one');
  });

  it('is replaced by the next command if its guard is dead too', { tags: 'full' }, async () => {
    await nsv.sleeper('one');
    const [before] = await nsv.list();
    await nsv.killDaemonAndGuard();
    const [after] = await nsv.list();
    expect(after).toMatchObject({ id: 0, pid: before?.pid, status: 'online', restarts: 0 });
  });

  it('leaves a dead process to the next daemon, which restarts only that process', async () => {
    await nsv.sleeper('one', '-i', '2');
    const [first, second] = await nsv.list();
    await nsv.killDaemonAndGuard();
    process.kill(first!.pid!, 'SIGKILL');
    await eventually(() => !isAlive(first!.pid!));
    const after = await eventually(async () => {
      const views = await nsv.list();
      return views.every(({ status }) => status === 'online') && views;
    });
    expect(after.map(({ restarts }) => restarts)).toEqual([1, 0]);
    expect(after[0]?.pid).not.toBe(first?.pid);
    expect(after[1]?.pid).toBe(second?.pid);
  });

  it('is followed by one that applies the restart policy to processes it has adopted', { tags: 'full' }, async () => {
    await nsv.sleeper('one');
    await nsv.sleeper('once', '--no-autorestart');
    const [one, once] = await nsv.list();
    await nsv.killDaemonAndGuard();
    await nsv.list();
    for (const pid of [one!.pid!, once!.pid!]) process.kill(pid, 'SIGKILL');
    const views = await eventually(async () => {
      const [first, second] = await nsv.list();
      return first?.status === 'online' && second?.status === 'stopped' && [first, second];
    });
    expect(views).toMatchObject([{ restarts: 1 }, { restarts: 0, lastExit: { code: null, signal: null } }]);
  });

  it('is followed by one that stops, restarts and scales adopted processes', { tags: 'full' }, async () => {
    await nsv.sleeper('one', '-i', '2');
    const before = await nsv.list();
    await nsv.killDaemonAndGuard();
    await nsv.ok('scale', 'one', '3', '--json');
    await nsv.ok('restart', 'one');
    const restarted = await nsv.list();
    expect(restarted).toHaveLength(3);
    for (const { pid } of before) expect(isAlive(pid!)).toBe(false);
    await nsv.ok('stop', 'one');
    expect((await nsv.list()).map(({ status }) => status)).toEqual(['stopped', 'stopped', 'stopped']);
  });

  it('is followed by one that has no deleted apps, and keeps the ids', { tags: 'full' }, async () => {
    await nsv.sleeper('gone', '--no-wait');
    await nsv.sleeper('kept', '--no-wait');
    await nsv.ok('delete', 'gone');
    await nsv.killDaemonAndGuard();
    await nsv.sleeper('next', '--no-wait');
    expect((await nsv.list()).map(({ id, name }) => [id, name])).toEqual([
      [1, 'kept'],
      [2, 'next'],
    ]);
  });

  it('is followed by one that completes a stop in progress', async () => {
    const stubborn = nsv.script('stubborn.sh', '#!/bin/sh\ntrap "" TERM\nwhile :; do sleep 0.1; done\n');
    await nsv.ok('start', stubborn, '--name', 'one', '--kill-timeout', '2s');
    const [{ pid } = { pid: null }] = await nsv.list();
    const stopping = nsv.run('stop', 'one');
    await eventually(async () => (await nsv.list())[0]?.status === 'stopping');
    await eventually(() => readFileSync(join(nsv.home, 'state.json'), 'utf8').includes('"kind":"stopping"'));
    await nsv.killDaemonAndGuard();
    await stopping;
    await eventually(async () => (await nsv.list())[0]?.status === 'stopped');
    expect(isAlive(pid!)).toBe(false);
  });
});

describe('the guard', () => {
  it('exits with the daemon on "nsv kill", and no state is left', async () => {
    await nsv.sleeper('one', '--no-wait');
    await nsv.ok('kill');
    expect(processesWith(`NSV_HOME=${nsv.home}`)).toEqual([]);
    expect(readdirSync(nsv.home).filter((name) => name.startsWith('state'))).toEqual([]);
  });

  it('gives up on a daemon that keeps dying, and the next command still finds the apps', async () => {
    await nsv.sleeper('one');
    const [before] = await nsv.list();
    for (let deaths = 0; deaths < 6; deaths += 1) {
      const dead = await nsv.killDaemon();
      if (deaths < 5) await eventually(() => nsv.daemonPid !== dead);
    }
    await eventually(() => nsv.log().includes('the guard gave up'));
    expect(await nsv.list()).toMatchObject([{ pid: before?.pid, restarts: 0 }]);
  });
});

describe('a state file that cannot be read', () => {
  it('is kept, and the previous one is used', async () => {
    await nsv.sleeper('one');
    // Each is answered when it is written, so that the last state but one knows the process too.
    await nsv.ok('restart', 'one');
    await nsv.ok('reset', 'one');
    const [before] = await nsv.list();
    await nsv.killDaemonAndGuard();
    writeFileSync(join(nsv.home, 'state.json'), 'garbage');
    expect(await nsv.list()).toMatchObject([{ pid: before?.pid }]);
    expect(nsv.log()).toContain('not a state file of nsv; kept as');
    expect(readdirSync(nsv.home).some((name) => name.startsWith('state.json.bad-'))).toBe(true);
  });

  it('fails every command while processes run that only it knows about', async () => {
    await nsv.sleeper('one');
    const [before] = await nsv.list();
    const apps = nsv.script('apps.json', '{ "apps": [{ "script": "true" }] }');
    await nsv.killDaemonAndGuard();
    const files = readdirSync(nsv.home).filter((name) => /^state\.json(\.\d)?$/.test(name));
    for (const name of files) writeFileSync(join(nsv.home, name), 'garbage');
    // It keeps no state, so it leaves that of the daemon alone.
    await nsv.ok('run', '--', '/bin/true');
    for (const command of [['list'], ['health'], ['kill'], ['delete', 'all'], ['apply', apps]])
      expect(await nsv.fails(4, ...command)).toContain(
        `keep running (${before?.pid}): ${join(nsv.home, 'state.json')}: not`,
      );
    expect(isAlive(before!.pid!)).toBe(true);
    expect(await nsv.run('doctor')).toMatchObject({
      code: 9,
      stdout: expect.stringContaining('or says why it cannot'),
    });
    for (const name of files) rmSync(join(nsv.home, name));
    expect(await nsv.list()).toEqual([]);
    await eventually(() => !isAlive(before!.pid!));
  });

  variants(Object.entries(writeSteps))(
    'is never left by a daemon that dies while it writes: %s',
    async (step, moment) => {
      const daemon = new FallingDaemon(nsv);
      await daemon.launch();
      daemon.command({ ...moment, how: 'kill', always: true });
      expect(await nsv.run('start', '/bin/sleep', '--name', 'one', '--', '600')).not.toMatchObject({ code: 0 });
      await eventually(() => nsv.log().includes('the guard starts a new one'));
      // This one has something to write again each time.
      if (step !== 'drafting') await eventually(() => nsv.log().includes('the guard gave up'));
      // Nobody was told that it runs: so it does and is known, or nothing is left of it.
      await eventually(async () => {
        const known = (await nsv.list().catch(() => [])).map(({ pid }) => pid);
        return String(known) === String(processesWith('NSV_APP=one', `NSV_HOME=${nsv.home}`));
      });
      daemon.revoke();
      expect(readdirSync(nsv.home).filter((name) => name.includes('bad'))).toEqual([]);
    },
  );
});
