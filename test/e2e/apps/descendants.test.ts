// What an app starts is stopped with it, also what has left its session as classic daemons do: a double fork with setsid.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ProcessView } from '../../../src/ipc/views.ts';
import { eventually } from '../../helpers/eventually.ts';
import { Foreground } from '../../helpers/foreground.ts';
import { fieldsOfStat, homeForEach, isAlive, launcher, processesWith, written } from '../../helpers/nsv.ts';
import { procFile } from '../../helpers/proc.ts';
import { variants } from '../../helpers/variants.ts';

const nsv = homeForEach();
const file = (name: string) => join(nsv.directory, name);
const pidIn = async (name: string) => Number(await written(file(name)));

/** Runs a command in a session of its own, with no parent; writes its pid into the file `daemon`. */
const daemonize = (command: string) => `(setsid sh -c 'echo $$ > ${file('daemon')}; ${command}' &)\n`;
/** Runs until SIGTERM, then writes a file. */
const cleansUp = `trap "echo cleaned > ${file('cleaned')}; exit" TERM; while :; do sleep 0.02; done`;
const ignores = 'trap "" TERM; while :; do sleep 0.1; done';
/** An app that starts a classic daemon and goes on. */
const app = (command = 'exec sleep 600', then = 'exec sleep 600') =>
  nsv.script('app.sh', `#!/bin/sh\n${daemonize(command)}${then}\n`);

/** The daemon of the app, once it has left the tree that the kernel shows. */
async function runaway(): Promise<number> {
  const pid = await pidIn('daemon');
  const [view] = await nsv.list();
  await eventually(() => {
    const [state, parent, , session] = fieldsOfStat(pid);
    return state !== undefined && ![parent, session].includes(String(view?.pid));
  });
  return pid;
}

const tokenOf = (pid: number) => /(?:^|\0)NSV_TREE=([^\0]*)/.exec(procFile(pid, 'environ') ?? '')?.[1];

describe('a classic daemon that an app has started', () => {
  variants(['stop', 'delete', 'kill'] as const)('ends with %s', async (command) => {
    await nsv.ok('start', app(cleansUp));
    const pid = await runaway();
    await nsv.ok(command, ...(command === 'kill' ? [] : ['app']));
    expect(isAlive(pid)).toBe(false);
    expect(existsSync(file('cleaned'))).toBe(true);
  });

  it('is killed at the kill timeout when it ignores the signal', { tags: 'full' }, async () => {
    await nsv.ok('start', app(ignores), '--kill-timeout', '300ms');
    const pid = await runaway();
    await nsv.ok('stop', 'app');
    expect(isAlive(pid)).toBe(false);
  });

  it('is stopped with the app by a daemon that has adopted it', { tags: 'full' }, async () => {
    await nsv.ok('start', app());
    const pid = await runaway();
    await nsv.killDaemonAndGuard();
    await nsv.ok('stop', 'app');
    expect(isAlive(pid)).toBe(false);
  });

  it('ends with nsv run', { tags: 'full' }, async () => {
    const run = new Foreground(nsv, [app(cleansUp)]);
    const pid = await pidIn('daemon');
    run.sends('SIGTERM');
    await run.ended;
    expect(isAlive(pid)).toBe(false);
    expect(existsSync(file('cleaned'))).toBe(true);
  });

  it('keeps running with --keep-orphans', async () => {
    await nsv.ok('start', app(), '--keep-orphans');
    const pid = await runaway();
    await nsv.ok('stop', 'app');
    await nsv.ok('kill');
    expect(isAlive(pid)).toBe(true);
    process.kill(pid, 'SIGKILL');
  });

  it('is found below a Node app too, although its environment lacks NSV_MARK', { tags: 'full' }, async () => {
    const node = nsv.script(
      'node.cjs',
      `require('child_process').spawn('/bin/sh', ['-c', ${JSON.stringify(daemonize('exec sleep 600'))}]);
setInterval(() => {}, 1000);`,
    );
    await nsv.ok('start', node);
    const pid = await runaway();
    expect(readFileSync(`/proc/${pid}/environ`, 'latin1')).not.toContain('NSV_MARK=');
    await nsv.ok('stop', 'node');
    expect(isAlive(pid)).toBe(false);
  });
});

describe('a child left behind by a program that has exited', { tags: 'full' }, () => {
  const restarted = () =>
    eventually(async () => (await nsv.list()).find(({ restarts, status }) => restarts === 1 && status === 'online'));
  /** The app leaves something behind in its first life only. */
  const leaves = (command: string, then: string) =>
    nsv.script('app.sh', `#!/bin/sh\n[ -e ${file('daemon')} ] && exec sleep 600\n${command}${then}\n`);

  it.each([
    ['in its session', (command: string) => `sh -c 'echo $$ > ${file('daemon')}; ${command}' &\n`],
    ['in a session of its own', daemonize],
  ])('is sent SIGTERM and can clean up before the restart: %s', async (_title, start) => {
    const wait = `while ! [ -s ${file('daemon')} ]; do sleep 0.01; done; sleep 0.1; exit 1`;
    await nsv.ok('start', leaves(start(cleansUp), wait), '--no-wait');
    await restarted();
    expect(readFileSync(file('cleaned'), 'utf8')).toBe('cleaned\n');
    expect(isAlive(await pidIn('daemon'))).toBe(false);
  });

  it('is killed at the kill timeout if it ignores the signal, and the restart waits for that', async () => {
    const wait = `while ! [ -s ${file('daemon')} ]; do sleep 0.01; done; sleep 0.1; exit 1`;
    await nsv.ok('start', leaves(daemonize(ignores), wait), '--no-wait', '--kill-timeout', '3s');
    const view = await eventually(async () => (await nsv.list()).find(({ status }) => status === 'stopping'));
    const daemon = await pidIn('daemon');
    expect(view).toMatchObject({ restarts: 1, lastExit: { code: 1 } });
    expect(isAlive(daemon)).toBe(true);
    await eventually(async () => (await nsv.list())[0]?.status === 'online');
    expect(isAlive(daemon)).toBe(false);
  });

  it('is stopped after a clean exit too', async () => {
    await nsv.ok('start', app(cleansUp, `while ! [ -s ${file('daemon')} ]; do sleep 0.01; done`), '--no-autorestart');
    await eventually(async () => (await nsv.list())[0]?.status === 'stopped');
    expect(isAlive(await pidIn('daemon'))).toBe(false);
  });
});

describe('nsv started by an app', { tags: 'full' }, () => {
  const inner = () => ({ env: { NSV_HOME: file('inner') } });

  it('is not stopped with that app, nor are its own apps, which have another NSV_TREE', async () => {
    const start = `NSV_HOME=${file('inner')} ${launcher} start /bin/sleep --name inner -- 600`;
    const outer = nsv.script('outer.sh', `#!/bin/sh\n${start} && echo done > ${file('done')}\nexec sleep 600\n`);
    await nsv.ok('start', outer);
    await written(file('done'));
    try {
      const list = async () => JSON.parse((await nsv.runWith(inner(), 'list', '--json')).stdout) as ProcessView[];
      const [before] = await list();
      const [app] = await nsv.list();
      expect(tokenOf(app!.pid!)).toMatch(/^[\da-f]{32}$/);
      expect(tokenOf(before!.pid!)).toMatch(/^[\da-f]{32}$/);
      expect(tokenOf(before!.pid!)).not.toBe(tokenOf(app!.pid!));
      await nsv.ok('stop', 'outer');
      expect(await list()).toMatchObject([{ pid: before!.pid, status: 'online', restarts: 0 }]);
    } finally {
      await nsv.runWith(inner(), 'kill');
    }
  });

  it('starts apps that outlive the app above, even without an NSV_TREE of their own', async () => {
    const start = `${launcher} start /bin/sleep --name other --keep-orphans -- 600`;
    const outer = nsv.script('outer.sh', `#!/bin/sh\n${start} && echo done > ${file('done')}\nexec sleep 600\n`);
    await nsv.ok('start', outer);
    await written(file('done'));
    const [other] = await nsv.list('other');
    expect(tokenOf(other!.pid!)).toBeUndefined();
    await nsv.ok('stop', 'outer');
    expect(await nsv.list('other')).toMatchObject([{ pid: other!.pid, status: 'online' }]);
  });
});

const isRoot = process.getuid?.() === 0;
if (!isRoot) console.warn('skipped: only root can start apps of another user');

describe.skipIf(!isRoot)('an app of another user', () => {
  it('is stopped with its own daemons, but not with a process of another user that has the same NSV_TREE', async () => {
    const script = '(setsid sleep 601 &); exec sleep 600';
    await nsv.ok('start', '/bin/sh', '--name', 'theirs', '--uid', 'nobody', '--cwd', '/', '--', '-c', script);
    const [view] = await nsv.list();
    const entries = [`NSV_TREE=${tokenOf(view!.pid!)}`, 'NSV_APP=theirs'];
    const [daemon] = await eventually(() => {
      const found = processesWith(...entries).filter((pid) => pid !== view!.pid);
      return found.length === 1 && procFile(found[0]!, 'comm')?.startsWith('sleep') && found;
    });
    const env = { PATH: process.env.PATH, NSV_TREE: tokenOf(view!.pid!) };
    const bystander = spawn('sleep', ['602'], { env, detached: true, stdio: 'ignore' });
    try {
      await eventually(() => tokenOf(bystander.pid!) === tokenOf(view!.pid!));
      await nsv.ok('stop', 'theirs');
      expect(isAlive(daemon!)).toBe(false);
      expect(isAlive(bystander.pid!)).toBe(true);
    } finally {
      bystander.kill('SIGKILL');
    }
  });
});
