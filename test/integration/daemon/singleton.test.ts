// One daemon per home: processes that race for it, die with it, and leave things behind.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { claimHome } from '../../../src/daemon/state/singleton.ts';
import { openConnection } from '../../../src/ipc/client.ts';
import { machineId } from '../../../src/os/lock/holder.ts';
import { acquireLock, type Lock } from '../../../src/os/lock/lock.ts';
import { startTimeOf } from '../../../src/os/proc.ts';
import { ownRoot } from '../../../src/shared/paths.ts';
import { bundle, type Program, run } from '../../helpers/bundle.ts';
import { eventually } from '../../helpers/eventually.ts';
import { outputOf, works } from '../../helpers/program.ts';
import { temporaryHomeForEach } from '../../helpers/temporary-home.ts';
import { temporaryHome } from '../../helpers/wire.ts';

let contender: string;
let daemon: string;
const home = temporaryHomeForEach();
const programs: Program[] = [];

beforeAll(async () => {
  [contender, daemon] = await Promise.all([bundle('fixture-contender'), bundle('fixture-daemon')]);
});
afterAll(() => {
  for (const file of [contender, daemon]) rmSync(dirname(file), { recursive: true });
});
afterEach(async () => {
  for (const { child, ended } of programs.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
});

function start(file: string, ...args: string[]): Program {
  const program = run(file, home.paths.home, args);
  programs.push(program);
  return program;
}

describe('a lock', () => {
  const held: Lock[] = [];
  const take = async (name: 'daemon' | 'launch' = 'daemon') => {
    const lock = await acquireLock(home.paths, name);
    if (lock) held.push(lock);
    return lock;
  };
  afterEach(() => {
    for (const lock of held.splice(0)) lock.release();
  });

  it('has one holder until it is released', async () => {
    const lock = await take();
    expect(lock).toBeDefined();
    expect(await take()).toBeUndefined();
    lock!.release();
    expect(await take()).toBeDefined();
  });

  it('is separate for each name', async () => {
    expect(await take('daemon')).toBeDefined();
    expect(await take('launch')).toBeDefined();
  });

  it('is free as soon as its holder is killed', async () => {
    const holder = start(contender, 'daemon');
    expect(await holder.line).toBe('held');
    expect(await take()).toBeUndefined();
    holder.child.kill('SIGKILL');
    await holder.ended;
    expect(await take()).toBeDefined();
  });

  it('leaves nothing but its last claim, in a directory that only its user can read', async () => {
    for (let round = 0; round < 3; round += 1) (await acquireLock(home.paths, 'daemon'))?.release();
    expect(readdirSync(home.paths.locks)).toEqual(['daemon.6']);
    expect(readlinkSync(join(home.paths.locks, 'daemon.6'))).toBe('released');
    expect(statSync(home.paths.locks).mode & 0o777).toBe(0o700);
  });

  it('is not blocked by files that only look like claims', async () => {
    mkdirSync(home.paths.locks);
    writeFileSync(join(home.paths.locks, 'daemon.7'), 'text');
    symlinkSync('../etc/passwd', join(home.paths.locks, 'daemon.8'));
    expect(await take()).toBeDefined();
    expect(await take()).toBeUndefined();
  });
});

describe('the lock', () => {
  it('goes to exactly one of fifty processes, also after the holder was killed', { tags: 'full' }, async () => {
    for (let round = 0; round < 2; round += 1) {
      const all = Array.from({ length: 50 }, () => start(contender, 'daemon'));
      const lines = await Promise.all(all.map(({ line }) => line));
      expect(lines.filter((line) => line === 'held')).toHaveLength(1);
      expect(lines.filter((line) => line === 'refused')).toHaveLength(49);
      const holder = all[lines.indexOf('held')]!;
      holder.child.kill('SIGKILL');
      await holder.ended;
    }
  });

  it('has no name that other users could see and take', async ({ skip }) => {
    if (!existsSync('/proc/net/unix')) skip('there is no /proc');
    const lock = await acquireLock(home.paths, 'daemon');
    const names = readFileSync('/proc/net/unix', 'utf8')
      .split('\n')
      .filter((line) => line.includes(' @'));
    expect(names.filter((name) => name.includes(String(statSync(home.paths.home).ino)))).toEqual([]);
    lock?.release();
  });

  it('is the same in another container with the same home', async ({ skip }) => {
    const apart = ['unshare', '--pid', '--net', '--fork', '--kill-child', '--mount-proc'];
    if (!(await works(apart[0]!, ...apart.slice(1), 'true'))) skip('unshare needs root');
    const holder = run(contender, home.paths.home, ['daemon'], [...apart, process.execPath]);
    programs.push(holder);
    expect(await holder.line).toBe('held');
    expect(await acquireLock(home.paths, 'daemon')).toBeUndefined();
    holder.child.kill('SIGKILL');
    await holder.ended;
    const lock = await eventually(() => acquireLock(home.paths, 'daemon'));
    lock.release();
  });

  it('does not keep its holder alive', async () => {
    const leaver = start(contender, 'daemon', 'leaves');
    expect(await leaver.line).toBe('held');
    expect(await leaver.ended).toBe(0);
  });

  it('is a different one in a copied home', async () => {
    const first = await acquireLock(home.paths, 'daemon');
    const copy = temporaryHome();
    await outputOf('cp', ['-a', `${home.paths.home}/.`, copy.paths.home]);
    expect(readdirSync(copy.paths.locks)).toEqual(readdirSync(home.paths.locks));
    const second = await acquireLock(copy.paths, 'daemon');
    expect(second).toBeDefined();
    for (const lock of [first, second]) lock?.release();
    copy.remove();
  });

  const others = (process.env.NSV_TEST_NODES ?? '').split(':').filter(Boolean);
  it.runIf(others.length > 0).each(others)('is the same one for %s', async (node) => {
    const lock = await acquireLock(home.paths, 'daemon');
    const other = run(contender, home.paths.home, ['daemon'], node);
    programs.push(other);
    expect(await other.line).toBe('refused');
    lock?.release();
    const next = run(contender, home.paths.home, ['daemon'], node);
    programs.push(next);
    expect(await next.line).toBe('held');
    expect(await acquireLock(home.paths, 'daemon')).toBeUndefined();
  });
});

/** Says who holds the daemon's lock, in the text of a claim (lock-holder.ts). */
function claimed(text: string): string {
  const file = join(home.paths.locks, 'daemon.1');
  mkdirSync(home.paths.locks, { mode: 0o700 });
  symlinkSync(text, file);
  return file;
}

describe('a home that another machine may use', () => {
  const machine = machineId().slice(0, 8);

  it('is refused, with the name of the file that records the other machine', async ({ skip }) => {
    if (!machine) skip('this machine has no ID');
    const file = claimed('abcd.sock:00000000:00000000:::web-1');
    await expect(acquireLock(home.paths, 'daemon')).rejects.toMatchObject({
      code: 'HOME_ON_OTHER_MACHINE',
      message: expect.stringContaining(`another machine (web-1), as ${file} says`),
    });
    await expect(claimHome(home.paths)).rejects.toMatchObject({ code: 'HOME_ON_OTHER_MACHINE', exitCode: 4 });
    expect(readdirSync(home.paths.home)).toEqual(['locks']);
    rmSync(file);
    (await claimHome(home.paths))!.release();
  });

  it('is free if its holder died before this machine was booted', async () => {
    claimed(`abcd.sock:${machine}:00000000:::here`);
    (await claimHome(home.paths))!.release();
  });

  it('is free once the daemon there has released it', async () => {
    claimed('released');
    (await claimHome(home.paths))!.release();
  });
});

describe('claiming a home', () => {
  it('writes its pid, start time and root to a text file, and removes it on release', async () => {
    const claim = await claimHome(home.paths);
    expect(readFileSync(home.paths.pid, 'utf8')).toBe(
      `${process.pid}\n${startTimeOf(process.pid) ?? ''}\n${ownRoot}\n`,
    );
    expect(statSync(home.paths.pid).mode & 0o777).toBe(0o600);
    claim!.release();
    expect(existsSync(home.paths.pid)).toBe(false);
    (await claimHome(home.paths))!.release();
  });

  it('is not blocked by a stale socket and the pid of an unrelated process', { tags: 'full' }, async () => {
    const dead = start(daemon);
    expect(await dead.line).toBe('serves');
    dead.child.kill('SIGKILL');
    await dead.ended;
    writeFileSync(home.paths.pid, '1\n');
    expect(statSync(home.paths.socket).isSocket()).toBe(true);

    expect(await start(daemon).line).toBe('serves');
    const { hello, close } = await openConnection(home.paths);
    expect(readFileSync(home.paths.pid, 'utf8')).toMatch(new RegExp(`^${hello.pid}\n`));
    close();
  });

  it('succeeds for exactly one of twenty daemons, and the others exit with 0', { tags: 'full' }, async () => {
    const all = Array.from({ length: 20 }, () => start(daemon));
    const lines = await Promise.all(all.map(({ line }) => line));
    expect(lines.filter((line) => line === 'serves')).toHaveLength(1);
    const losers = all.filter((_, index) => lines[index] === undefined);
    expect(await Promise.all(losers.map(({ ended }) => ended))).toEqual(Array(19).fill(0));
  });

  it('waits for a predecessor that is leaving', async () => {
    const first = await claimHome(home.paths);
    const second = claimHome(home.paths);
    first!.release();
    (await second)!.release();
  });

  it('gives up when the holder of the lock never serves', async () => {
    const lock = await acquireLock(home.paths, 'daemon');
    expect(await claimHome(home.paths, 50)).toBeUndefined();
    lock?.release();
  });

  it('yields to a daemon that answers without holding the lock, as one in another container may', async () => {
    const stranger = createServer().listen(home.paths.socket);
    await new Promise((resolve) => stranger.once('listening', resolve));
    expect(await claimHome(home.paths)).toBeUndefined();
    expect(existsSync(home.paths.socket)).toBe(true);
    expect(existsSync(home.paths.pid)).toBe(false);
    stranger.close();
    (await acquireLock(home.paths, 'daemon'))!.release();
  });

  it('is refused when others may write the home', async () => {
    chmodSync(home.paths.home, 0o777);
    await expect(claimHome(home.paths)).rejects.toMatchObject({ code: 'HOME_UNSAFE' });
  });
});
