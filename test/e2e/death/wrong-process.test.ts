// After a death, a reboot, a move or a copy: what is not ours is never taken for ours.
import { spawn } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { release } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../../src/daemon/process/record.ts';
import { decodeState, encodeState } from '../../../src/daemon/state/codec.ts';
import { machineId } from '../../../src/os/lock/holder.ts';
import { eventually } from '../../helpers/eventually.ts';
import { fieldsOfStat, homeForEach, isAlive, launcher, processesWith } from '../../helpers/nsv.ts';
import { procFile } from '../../helpers/proc.ts';
import { variants } from '../../helpers/variants.ts';

const nsv = homeForEach();
const stateFile = () => join(nsv.home, 'state.json');

/** As if something else had been written. */
function rewrite(change: (state: Snapshot) => void): void {
  const { snapshot: state } = decodeState(readFileSync(stateFile()));
  change(state);
  writeFileSync(stateFile(), encodeState(state));
}

/** Started by nobody of ours, to stand at a pid that a state names. */
async function stranger(): Promise<{ pid: number; startTime: number; end(): void }> {
  const child = spawn('/bin/sleep', ['600'], { env: { PATH: '/bin' }, detached: true, stdio: 'ignore' });
  const pid = child.pid!;
  await eventually(() => procFile(pid, 'cmdline')?.startsWith('/bin/sleep'));
  const startTime = Number(fieldsOfStat(pid)[19]);
  return { pid, startTime, end: () => void child.kill('SIGKILL') };
}

const start = (name = 'one') => nsv.sleeper(name);

describe('a pid that another program has reused', () => {
  variants([
    ['started at another time', 1],
    ['started at the same clock tick', 0],
  ])('is neither adopted nor signalled: %s', async (_title, later) => {
    await start();
    const [{ pid } = { pid: 0 }] = await nsv.list();
    await nsv.killDaemonAndGuard();
    process.kill(pid!, 'SIGKILL');
    await eventually(() => !isAlive(pid!));
    const other = await stranger();
    try {
      rewrite(({ groups }) => {
        const life = groups[0]!.processes[0]!.identity!;
        Object.assign(life, { pid: other.pid, startTime: other.startTime - later });
      });
      const view = await eventually(async () => (await nsv.list()).find(({ status }) => status === 'online'));
      expect(view).toMatchObject({ restarts: 1 });
      expect(view.pid).not.toBe(other.pid);
      await nsv.ok('kill');
      expect(isAlive(other.pid)).toBe(true);
    } finally {
      other.end();
    }
  });
});

describe('after a reboot', () => {
  it.each(['boot', 'pids'] as const)(
    'no process is adopted or started, and resurrect starts the apps that ran: another %s',
    { tags: 'full' },
    async (key) => {
      await start('ran');
      await start('rested');
      await nsv.ok('stop', 'rested');
      const [before] = await nsv.list();
      await nsv.ok('save');
      await nsv.killDaemonAndGuard();
      process.kill(before!.pid!, 'SIGKILL');
      rewrite(({ origin }) => Object.assign(origin, { [key]: 'another' }));
      const views = await nsv.list();
      expect(views.map(({ name, status, pid }) => [name, status, pid])).toEqual([
        ['ran', 'stopped', null],
        ['rested', 'stopped', null],
      ]);
      await nsv.ok('resurrect');
      expect((await nsv.list()).map(({ status }) => status)).toEqual(['online', 'stopped']);
    },
  );
});

describe('an invalid record of one app', () => {
  it('affects no other app, and its process keeps running', async () => {
    await start('good');
    await start('bad');
    await start('last');
    const before = await nsv.list();
    const [, bad] = before;
    await nsv.killDaemonAndGuard();
    rewrite(({ groups }) => Object.assign(groups[1]!.processes[0]!, { cutShort: '0many' }));
    const after = await nsv.list();
    expect(after.map(({ name, pid }) => [name, pid])).toEqual(
      before.filter(({ name }) => name !== 'bad').map(({ name, pid }) => [name, pid]),
    );
    expect(isAlive(bad!.pid!)).toBe(true);
    const kept = /state\.json\.apps-\d+/.exec(nsv.log())?.[0];
    expect(JSON.parse(readFileSync(join(nsv.home, kept!), 'utf8'))).toMatchObject([{ name: 'bad' }]);
    expect(nsv.log()).toMatch(new RegExp(`"pid":${bad!.pid},.*no usable record`));
    const { code, stdout } = await nsv.run('doctor');
    expect([code, stdout]).toEqual([9, expect.stringContaining(kept!)]);
    expect(stdout).toContain(String(bad!.pid));
    process.kill(bad!.pid!, 'SIGKILL');
  });

  it('is skipped in the saved list too, and "nsv resurrect" reports it', { tags: 'full' }, async () => {
    await start('good');
    await start('bad');
    await nsv.ok('save');
    await nsv.ok('delete', 'all');
    const saved = join(nsv.home, 'saved.json');
    writeFileSync(saved, readFileSync(saved, 'utf8').replace('"instances": 1', '"instances": "NaN"'));
    expect(await nsv.fails(8, 'resurrect')).toMatch(/"good" was set aside.*"NaN".*saved\.json\.apps-\d+/s);
    expect((await nsv.list()).map(({ name, status }) => [name, status])).toEqual([['bad', 'online']]);
  });
});

describe('a state file from elsewhere', () => {
  it.each([
    ['machine', 'it was written on another machine'],
    ['uid', 'it belongs to user'],
  ] as const)('is set aside: %s', { tags: 'full' }, async (key, reason) => {
    await start();
    const [before] = await nsv.list();
    await nsv.killDaemonAndGuard();
    renameSync(stateFile(), `${stateFile()}.tmp`);
    renameSync(`${stateFile()}.tmp`, stateFile());
    rewrite(({ origin }) => Object.assign(origin, { [key]: key === 'uid' ? 4_242 : 'elsewhere' }));
    writeFileSync(`${stateFile()}.1`, readFileSync(stateFile()));
    expect(await nsv.list()).toEqual([]);
    expect(nsv.log()).toContain(reason);
    expect(isAlive(before!.pid!)).toBe(true);
    process.kill(before!.pid!, 'SIGKILL');
  });

  it('is left alone while a daemon on another machine may use it', { tags: 'full' }, async ({ skip }) => {
    if (!machineId()) skip('this machine has no ID');
    await start();
    const [before] = await nsv.list();
    await nsv.killDaemonAndGuard();
    const locks = join(nsv.home, 'locks');
    const [claim = ''] = readdirSync(locks).filter((name) => name.startsWith('daemon.'));
    rmSync(join(locks, claim));
    symlinkSync('abcd.sock:00000000:00000000:::web-1', join(locks, claim));
    const state = readFileSync(stateFile());
    expect(await nsv.fails(4, 'list')).toContain(`is in use on another machine (web-1), as ${join(locks, claim)} says`);
    expect(readFileSync(stateFile())).toEqual(state);
    rmSync(join(locks, claim));
    expect(await nsv.list()).toMatchObject([{ pid: before?.pid, status: 'online' }]);
  });

  it('is not used in a copy of a home whose daemon runs', { tags: 'full' }, async () => {
    await start();
    const [before] = await nsv.list();
    const copy = join(nsv.directory, 'copy');
    cpSync(nsv.home, copy, { recursive: true, filter: (file) => !file.endsWith('.sock') });
    const env = { NSV_HOME: copy };
    expect((await nsv.runWith({ env }, 'list', '--json')).stdout.trim()).toBe('[]');
    expect(readFileSync(join(copy, 'daemon.log'), 'utf8')).toContain('of which this is a copy');
    expect((await nsv.runWith({ env }, 'kill')).code).toBe(0);
    expect(await nsv.list()).toMatchObject([{ pid: before?.pid, status: 'online' }]);
  });
});

/** Ends with what the script printed; it runs in a pid namespace of its own, where the next pid can be chosen. */
function inNamespace(script: string): Promise<string> {
  const child = spawn('unshare', ['--pid', '--fork', '--mount-proc', '--kill-child', '/bin/sh', '-c', script], {
    env: { ...process.env, NSV_HOME: nsv.home, NSV: launcher },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
  return new Promise((resolve) => child.on('close', () => resolve(output)));
}

const mayUnshare = process.getuid?.() === 0;

/** From Linux 6.14 on each pid namespace has a limit of its own, before that a change is one for the whole machine. */
function hasOwnPidLimit(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number);
  return major > 6 || (major === 6 && minor >= 14);
}

/** How to have a process get the number $pid: what is done before the app begins, and when it is gone. */
const recyclings = {
  'as the kernel was told the number before it': {
    prepare: '',
    recycle: 'echo $((pid - 1)) > /proc/sys/kernel/ns_last_pid; /bin/sleep 600 & last=$!',
  },
  // The lowest three hundred are given out only once.
  'as there are only three hundred': {
    prepare: 'echo 600 > /proc/sys/kernel/pid_max; while /bin/true & [ $! -lt 300 ]; do wait; done',
    recycle: `
      while /bin/sleep 600 & last=$!; [ "$last" != "$pid" ]; do others="$others $last"; done
      kill -9 $others`,
  },
};

describe.skipIf(!mayUnshare)('in a pid namespace of its own', { tags: 'full' }, () => {
  it.each(Object.entries(recyclings))('a recycled pid is left alone: %s', async (title, { prepare, recycle }) => {
    if (title.includes('hundred') && !hasOwnPidLimit()) return;
    const output = await inNamespace(`
      ${prepare}
      "$NSV" start /bin/sleep --name one --no-wait --json -- 600 >/dev/null
      pid=$(pgrep -x sleep)
      daemon=$(head -n1 "$NSV_HOME/daemon.pid")
      guard=$(ps -o ppid= -p "$daemon")
      kill -9 $guard $daemon
      kill -9 $pid
      # Whoever waits for a child reaps the orphans too, and only then the number is free.
      while [ -d "/proc/$pid" ]; do /bin/true & wait $!; done
      ${recycle}
      [ "$last" = "$pid" ] && echo recycled
      "$NSV" list >/dev/null
      for i in $(seq 1 100); do "$NSV" list --json | grep -q '"status": "online"' && break; done
      "$NSV" list --json | grep -e '"pid"' -e '"restarts"' | tr -d ' ,\\n'; echo
      "$NSV" kill >/dev/null
      kill -0 "$last" && echo "stranger $last lives"
      echo "was $pid"
    `);
    const [, pid] = /was (\d+)/.exec(output) ?? [];
    expect(output).toContain('recycled');
    expect(output).toContain(`stranger ${pid} lives`);
    expect(output).toContain('"restarts":1');
    expect(output).not.toContain(`"pid":${pid}"`);
  });
});

describe.skipIf(!mayUnshare)('a home whose processes are all gone', { tags: 'full' }, () => {
  const begin = `"$NSV" start /bin/sleep --name one --no-wait -- 600 >/dev/null; "$NSV" save >/dev/null`;
  /** Takes the numbers that the first run has used. */
  const crowd = 'for i in $(seq 1 60); do /bin/sleep 600 & done';
  const look = `
      "$NSV" list --json | grep -e '"status"' -e '"pid"' | tr -d ' ,\\n'; echo
      "$NSV" doctor 2>/dev/null | grep -o 'stopped since the last reboot'
      "$NSV" resurrect --json | grep '"status"'
      "$NSV" kill
      echo "strangers: $(pgrep -c -x sleep)"`;

  it('is taken over without adopting a process by a second container on the same volume', async () => {
    await inNamespace(begin);
    const output = await inNamespace(`${crowd}; ${look}`);
    expect(output).toContain('"pid":null"status":"stopped"');
    expect(output).toContain('stopped since the last reboot');
    expect(output).toContain('"status": "online"');
    expect(output).toContain('strangers: 60');
  });

  it('is taken over without adopting a process after a reboot', async () => {
    await inNamespace(begin);
    const boot = nsv.script('boot', 'another-boot\n');
    const output = await inNamespace(`mount --bind ${boot} /proc/sys/kernel/random/boot_id; ${crowd}; ${look}`);
    expect(output).toContain('"pid":null"status":"stopped"');
    expect(output).toContain('"status": "online"');
    expect(output).toContain('strangers: 60');
  });
});

describe('a process that has inherited its mark', { tags: 'full' }, () => {
  it('is not adopted in place of its parent', async () => {
    const script = nsv.script('parent.sh', '#!/bin/sh\nsetsid /bin/sleep 601 &\nexec /bin/sleep 600\n');
    await nsv.ok('start', script, '--name', 'one');
    const [before] = await nsv.list();
    const heirs = () => processesWith('NSV_APP=one', `NSV_HOME=${nsv.home}`).filter((pid) => pid !== before?.pid);
    const [heir] = await eventually(() => heirs().length === 1 && heirs());
    await nsv.killDaemonAndGuard();
    expect(await nsv.list()).toMatchObject([{ pid: before?.pid }]);
    await nsv.ok('kill');
    if (isAlive(heir!)) process.kill(heir!, 'SIGKILL');
  });
});
