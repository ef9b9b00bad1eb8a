// Commands that the daemon's death interrupts.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decodeState, encodeState } from '../../../src/daemon/state/codec.ts';
import type { AppView } from '../../../src/ipc/views.ts';
import { eventually } from '../../helpers/eventually.ts';
import { freePort } from '../../helpers/http.ts';
import { homeForEach, leadersWith } from '../../helpers/nsv.ts';

const nsv = homeForEach();
const state = () => readFileSync(join(nsv.home, 'state.json'), 'utf8');

/** Does not heed SIGTERM, so that what stops it takes its time. */
const stubborn = () => nsv.script('stubborn.sh', '#!/bin/sh\ntrap "" TERM\nwhile :; do sleep 0.1; done\n');
const known = async () => (await nsv.list()).flatMap(({ pid }) => pid ?? []).sort();
const running = () => leadersWith('NSV_APP=one', `NSV_HOME=${nsv.home}`).sort();

describe('a command whose daemon dies', () => {
  it('is completed by the next daemon: delete', async () => {
    await nsv.ok('start', stubborn(), '--name', 'one', '--kill-timeout', '2s');
    const deleting = nsv.run('delete', 'one');
    await eventually(() => state().includes('"intent":{"kind":"remove"}'));
    await nsv.killDaemonAndGuard();
    expect((await deleting).code).not.toBe(0);
    await eventually(async () => (await nsv.list()).length === 0);
    expect(running()).toEqual([]);
  });

  it.each(['answered', 'under way'])(
    'is reflected in the automatically saved list: delete, %s',
    { tags: 'full' },
    async (when) => {
      const isSaved = () => readFileSync(join(nsv.home, 'saved.json'), 'utf8').includes('"name": "one"');
      await nsv.ok('start', stubborn(), '--name', 'one', '--kill-timeout', '200ms');
      await nsv.ok('save', '--auto');
      expect(isSaved()).toBe(true);
      const deleting = nsv.run('delete', 'one');
      if (when === 'answered') expect((await deleting).code).toBe(0);
      else await eventually(() => state().includes('"intent":{"kind":"remove"}'));
      await nsv.killDaemonAndGuard();
      await deleting;
      await eventually(async () => (await nsv.list()).length === 0);
      // That one has not lived long enough to save it as it saves every change.
      await nsv.killDaemonAndGuard();
      expect(await nsv.list()).toEqual([]);
      expect([isSaved(), running()]).toEqual([false, []]);
    },
  );

  it('is completed by the next daemon: scale to fewer', { tags: 'full' }, async () => {
    await nsv.ok('start', stubborn(), '--name', 'one', '-i', '2', '--kill-timeout', '2s');
    const [first] = await nsv.list();
    const scaling = nsv.run('scale', 'one', '1');
    await eventually(() => state().includes('"intent":{"kind":"scale","instances":1}'));
    await nsv.killDaemonAndGuard();
    await scaling;
    await eventually(async () => (await nsv.list()).length === 1);
    expect(await known()).toEqual([first?.pid]);
    await eventually(() => running().length === 1);
  });

  it('is completed even if a second daemon has died meanwhile: scale to more', { tags: 'full' }, async () => {
    await nsv.sleeper('one', '-i', '2', '--no-wait');
    await nsv.killDaemonAndGuard();
    const { snapshot } = decodeState(readFileSync(join(nsv.home, 'state.json')));
    const groups = snapshot.groups.map((group) => ({
      ...group,
      spec: { ...group.spec, instances: 3 },
      intent: { kind: 'scale' as const, instances: 3 },
    }));
    writeFileSync(join(nsv.home, 'state.json'), encodeState({ ...snapshot, groups }));
    await eventually(async () => (await nsv.list()).filter(({ status }) => status === 'online').length === 3);
    expect(running()).toEqual(await known());
  });

  it('is completed or undone, but never left half done: start of many', { tags: 'full' }, async () => {
    await nsv.sleeper('other', '--no-wait');
    const starting = nsv.run('start', '/bin/sleep', '--name', 'one', '-i', '8', '--no-wait', '--', '600');
    await eventually(() => running().length >= 2);
    await nsv.killDaemonAndGuard();
    await starting;
    const count = await eventually(async () => {
      const views = (await nsv.list()).filter(({ name }) => name === 'one');
      const isSettled = views.every(({ status }) => status === 'online') && running().length === views.length;
      return isSettled && String(views.length);
    });
    expect(['0', '8']).toContain(count);
  });

  it('leaves only the old process: reload of a process that never becomes ready', { tags: 'full' }, async () => {
    const script = nsv.script('never.js', 'setInterval(() => {}, 1000);');
    await nsv.ok('start', script, '--name', 'one', '--no-wait', '--wait-ready', '--listen-timeout', '60s');
    const [before] = await nsv.list();
    const reloading = nsv.run('reload', 'one');
    await eventually(() => running().length === 2);
    await nsv.killDaemonAndGuard();
    await reloading;
    await eventually(async () => (await known()).length === 1 && running().length === 1);
    expect(await known()).toEqual([before?.pid]);
  });

  it('is completed by the next daemon: start of an app that waits for its pre_start', { tags: 'full' }, async () => {
    const go = join(nsv.directory, 'go');
    const config = {
      apps: [{ name: 'one', script: '/bin/sleep', args: ['600'], pre_start: `until [ -e ${go} ]; do sleep 0.1; done` }],
    };
    writeFileSync(join(nsv.directory, 'apps.json'), JSON.stringify(config));
    const starting = nsv.run('start', 'apps.json', '--no-wait');
    await eventually(() => existsSync(join(nsv.home, 'state.json')) && state().includes('"name":"one"'));
    await nsv.killDaemonAndGuard();
    await starting;
    writeFileSync(go, '');
    await eventually(async () => (await nsv.list('one'))[0]?.status === 'online');
    expect(running()).toEqual(await known());
  });

  it('is completed by the next daemon: start of an app in place of another', { tags: 'full' }, async () => {
    await nsv.ok('start', stubborn(), '--name', 'one', '--kill-timeout', '2s');
    const [before] = await known();
    const starting = nsv.run('start', '/bin/sleep', '--name', 'one', '--force', '--no-wait', '-i', '2', '--', '600');
    await eventually(() => state().includes('"intent":{"kind":"remove"'));
    await nsv.killDaemonAndGuard();
    expect((await starting).code).not.toBe(0);
    const after = await eventually(async () => {
      const views = await nsv.list();
      return views.length === 2 && views.every(({ status }) => status === 'online') && views;
    });
    expect(after.map(({ pid }) => pid)).not.toContain(before);
    expect(running()).toEqual(await known());
  });

  it.each(['reload', 'restart'])(
    'is completed by the next daemon: %s of a stopped app',
    { tags: 'full' },
    async (command) => {
      // One after the other, a second each.
      await nsv.sleeper('one', '-i', '3', '--no-wait');
      await nsv.ok('stop', 'one');
      const starting = nsv.run(command, 'one');
      await eventually(() => running().length > 0);
      await nsv.killDaemonAndGuard();
      await starting;
      await eventually(async () => (await nsv.list()).filter(({ status }) => status === 'online').length === 3);
      expect(running()).toEqual(await known());
    },
  );
});

describe('a program that is not Node, whose daemon and socket keeper have died', { tags: 'full' }, () => {
  const listening = async (port: number, ...options: string[]) =>
    nsv.sleeper('one', '--no-wait', ...options, '--listen', String(port));
  const online = async () => (await nsv.list()).filter(({ status }) => status === 'online');
  const sockets = async () => (JSON.parse(await nsv.ok('show', 'one', '--json')) as AppView[])[0]?.sockets;

  it('keeps running, and commands that would start another process fail with a remedy', async () => {
    const port = await freePort();
    await listening(port);
    const before = await known();
    await nsv.killDaemonAndKeepers();
    for (const words of [
      ['restart', 'one'],
      ['reload', 'one'],
      ['scale', 'one', '2'],
    ]) {
      expect(await nsv.fails(6, ...words)).toContain('run "nsv stop", then "nsv start" on the app');
    }
    expect(await known()).toEqual(before);
    expect(await nsv.ok('show', 'one')).toContain('held only by the running processes');
    expect((await nsv.run('doctor')).stdout).toContain('run "nsv stop one", then "nsv start one"');
    await nsv.ok('stop', 'one');
    await nsv.ok('start', 'one', '--no-wait');
    expect(await sockets()).toEqual([String(port)]);
    await nsv.ok('restart', 'one');
  });

  it.each(['dies later', 'has died too'])('is started again with its socket when it %s', async (when) => {
    const port = await freePort();
    await listening(port);
    const [pid] = await known();
    await nsv.killDaemonAndKeepers();
    if (when === 'dies later') await nsv.list();
    process.kill(pid!, 'SIGKILL');
    const restarted = await eventually(async () => (await online()).find(({ restarts }) => restarts > 0));
    expect(restarted.restarts).toBe(1);
    expect(await sockets()).toEqual([String(port)]);
  });

  it('is not started again until the other processes with its socket have ended', async () => {
    const port = await freePort();
    await listening(port, '-i', '2');
    const [first, second] = await known();
    await nsv.killDaemonAndKeepers();
    await nsv.list();
    process.kill(first!, 'SIGKILL');
    await eventually(async () => (await nsv.list())[0]?.status === 'waiting restart');
    expect(await nsv.list()).toMatchObject([
      { pid: null, restarts: 1 },
      { pid: second, restarts: 0 },
    ]);
    process.kill(second!, 'SIGKILL');
    await eventually(async () => (await online()).length === 2);
    expect(await nsv.list()).toMatchObject([{ restarts: 1 }, { restarts: 1 }]);
    expect(await sockets()).toEqual([String(port)]);
    await nsv.ok('restart', 'one');
  });
});

describe('a hundred processes', { tags: 'full' }, () => {
  it('are all adopted after the daemon has died', async () => {
    await nsv.sleeper('one', '-i', '100', '--no-wait');
    const before = await known();
    await nsv.killDaemonAndGuard();
    expect(await known()).toEqual(before);
  });
});
