// Commands whose effect cannot be written down, and the death of the daemon after them.
import { chmodSync, mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AppView } from '../../../src/ipc/views.ts';
import { homeForEach, launcher, type Ran } from '../../helpers/nsv.ts';

const nsv = homeForEach();
const isRoot = process.getuid?.() === 0;
if (!isRoot) console.warn('skipped: only root can mount a full disk');

const known = async () => (await nsv.list()).flatMap(({ pid }) => pid ?? []).sort();

describe('a state that cannot be written', () => {
  const draft = () => join(nsv.home, 'state.json.tmp');
  const start = (...options: string[]) =>
    nsv.run('start', '/bin/sleep', '--name', 'one', '--no-wait', '-i', '2', ...options, '--', '600');

  it('fails every command that changes it, and the next daemon keeps the app with its settings', async () => {
    mkdirSync(draft(), { recursive: true });
    chmodSync(nsv.home, 0o700);
    const isTold = ({ code, stderr }: Ran) => {
      const [cause, remedy] = stderr.split('\n');
      expect(code).toBe(8);
      expect(cause).toMatch(/^nsv: failed to write .*\/state\.json: EISDIR: .*; the command took effect/);
      expect(remedy).toContain('free some space');
    };
    isTold(await start('--kill-timeout', '7s'));
    isTold(await nsv.run('restart', 'one'));
    isTold(await nsv.run('scale', 'one', '3'));
    expect(nsv.log().split('failed to write the state').length).toBe(2);
    const before = await known();
    expect(before).toHaveLength(3);
    await nsv.killDaemonAndGuard();
    expect(await known()).toEqual(before);
    const [app] = JSON.parse(await nsv.ok('show', 'one', '--json')) as AppView[];
    expect(app!.spec).toMatchObject({ killTimeout: 7_000, instances: 3, args: ['600'] });
    isTold(await nsv.run('reset', 'one'));
    rmdirSync(draft());
    await nsv.ok('reset', 'one');
    expect(nsv.log()).toContain('can be written again');
    await nsv.killDaemonAndGuard();
    expect(await known()).toEqual(before);
  });

  it('does not hide why a command has failed', { tags: 'full' }, async () => {
    mkdirSync(draft(), { recursive: true });
    chmodSync(nsv.home, 0o700);
    const stderr = await nsv.fails(6, 'start', '/bin/false', '--max-restarts', '0');
    expect(stderr).toMatch(/^nsv: "false" did not start: .*\n {2}failed to write .*EISDIR/m);
  });
});

describe.skipIf(!isRoot)('a full disk', { tags: 'full' }, () => {
  /** The home is a file system of its own, which nobody outside of the script sees. */
  function onDisk(script: string): Promise<Ran> {
    mkdirSync(nsv.home, { mode: 0o700 });
    const head = `#!/bin/sh
mount -t tmpfs -o size=300k,mode=700 none "$NSV_HOME" || exit 1
nsv() { "$NSV_BIN" "$@"; }
fill() { dd if=/dev/zero of="$NSV_HOME/fill" bs=1k count=1000 2>/dev/null; }
fall() { dead=$(head -n1 "$NSV_HOME/daemon.pid"); kill -KILL "$(ps -o ppid= -p "$dead" | tr -d ' ')" "$dead"; }
`;
    const program = nsv.script('full.sh', head + script);
    return nsv.runWith({ program: 'unshare', env: { NSV_BIN: launcher } }, '-m', program);
  }

  it('does not prevent the next daemon from adopting the apps', async () => {
    const { stdout, stderr } = await onDisk(`
nsv start /bin/sleep --name one --no-wait -- 600 >/dev/null || exit 1
before=$(nsv pid one)
fill
fall
[ "$(nsv pid one)" = "$before" ] && echo "one goes on"
[ "$(head -n1 "$NSV_HOME/daemon.pid")" != "$dead" ] && echo "daemon.pid names the next one"
nsv restart one --json
nsv kill`);
    expect(stderr).toBe('');
    expect(stdout).toContain('one goes on');
    expect(stdout).toContain('daemon.pid names the next one');
    expect(stdout).toContain('"status": "online"');
    expect(stdout).toContain('stopped 1 process and the daemon');
  });

  it('fails commands until there is space for the state', async () => {
    const { stdout } = await onDisk(`
told() { "$@" >/dev/null 2>"$NSV_HOME/../told"; echo "> $2 $? $(grep -m1 failed "$NSV_HOME/../told")"; }
nsv start /bin/sleep --name one --no-wait -- 600 >/dev/null || exit 1
fill
export BIG=$(head -c 60000 /dev/zero | tr '\\0' x)
told nsv start /bin/sleep --name two --no-wait -- 600
unset BIG
told nsv restart one
told nsv reload one
told nsv stop one
told nsv start one --no-wait
told nsv scale two 2
before=$(nsv pid two)
fall
[ "$(nsv pid two)" = "$before" ] && echo "two goes on"
told nsv reset two
told nsv delete two
fall
nsv kill`);
    const full = expect.stringMatching(/^> \w+ 8 nsv: failed to write .*state\.json: ENOSPC: /);
    const reported = stdout.split('\n').filter((line) => line.startsWith('> '));
    expect(reported).toEqual([full, full, full, full, full, full, full, '> delete 0 ']);
    expect(stdout).toContain('two goes on');
    expect(stdout).toContain('stopped 1 process and the daemon');
  });
});
