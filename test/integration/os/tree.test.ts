import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import {
  hasProc,
  type Identity,
  parseAuxv,
  parseStat,
  readStat,
  startTimeOf,
  units,
  uptime,
} from '../../../src/os/proc.ts';
import { lookAround } from '../../../src/os/process-table.ts';
import { groupLives, sendSignal } from '../../../src/os/terminate.ts';
import { mayHaveLeft, membersOf, treeOf } from '../../../src/os/tree.ts';
import { eventually, sees } from '../../helpers/eventually.ts';
import { fixture, Stage, signalAll } from '../../helpers/launched.ts';

const stage = new Stage();
afterEach(() => stage.end());
afterAll(() => stage.remove());

const pids = (members: Identity[]) => members.map(({ pid }) => pid);
/** Ages in milliseconds of a process that ends: only after the first are the processes above its pid all there is. */
const [aMoment, aDay] = [20, 86_400_000];
const identityOf = (pid: number): Identity => ({ pid, startTime: startTimeOf(pid) });
/** Bytes, after a collection. */
function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}
/** Resolves when none of them lives. */
const gone = (members: Identity[]) => eventually(() => members.every(({ pid }) => !readStat(pid)?.alive));

describe.skipIf(!hasProc)('a line of /proc/<pid>/stat', () => {
  it('is parsed correctly when the name of the program looks like the rest of the line', () => {
    const line = '42 (a) R 1 (b) S 7 8 9 0 -1 0 0 0 0 0 10 20 30 40 20 0 5 0 600 4096 77 0 0\n';
    expect(parseStat(line)).toEqual({
      pid: 42,
      parent: 7,
      session: 9,
      startTime: 600,
      cpuTicks: 100,
      pages: 77,
      alive: true,
    });
  });

  it('is parsed correctly for a real program with such a name', async () => {
    const script = join(stage.directory, 'a) Z 1 (b');
    copyFileSync('/bin/sleep', script);
    const { child } = stage.launch(stage.plan({ script, args: ['1000'] }));
    expect(readStat(child.pid)).toMatchObject({ parent: process.pid, session: child.pid, alive: true });
  });

  it('gives the start time of a process on the scale of the uptime', () => {
    const { child } = stage.launch(stage.plan({ script: '/bin/sleep', args: ['1000'] }));
    expect(child.startTime).toBe(startTimeOf(child.pid));
    expect(Math.abs((uptime() ?? 0) - (child.startTime ?? 0) / units().ticks)).toBeLessThan(10);
  });

  it('is missing for an unused pid', () => {
    expect(readStat(2 ** 30)).toBeUndefined();
  });
});

describe('the units of the kernel', () => {
  it('are read from the auxiliary vector', () => {
    const words = BigInt64Array.from([6n, 65536n, 33n, 17n, 17n, 250n, 0n, 0n]);
    expect(parseAuxv(Buffer.from(words.buffer))).toEqual({ pageSize: 65_536, ticks: 250 });
  });

  it('have defaults for an empty vector', () => {
    expect(parseAuxv(Buffer.alloc(0))).toEqual({ pageSize: 4096, ticks: 100 });
  });
});

describe.skipIf(!hasProc)('the tree of a process', () => {
  it('contains an orphan of a double fork, also when the leader is gone', async () => {
    const { child, prints, ended } = stage.script('orphan.sh');
    const orphan = Number((await prints(/orphan (\d+)/))[1]);
    // Not the process between them, which is about to end.
    const both = [child.pid, orphan].sort();
    await eventually(() => String(sees('the tree', pids(treeOf(child)).sort())) === String(both));

    sendSignal(child, 'SIGKILL');
    await ended;
    expect(groupLives(child.pid)).toBe(true);
    expect(pids(treeOf(child))).toEqual([orphan]);
  });

  it('contains a child that left the session while its parent lives, and afterwards if it was known', async () => {
    const { child, prints, ended } = stage.script('runaway.sh');
    const runaway = Number((await prints(/runaway (\d+)/))[1]);
    const family = treeOf(child);
    stage.remember(family);
    expect(family).toHaveLength(3);
    expect(pids(family)).toContain(runaway);

    sendSignal(child, 'SIGKILL');
    await ended;
    const withoutMark = { pid: child.pid, startTime: child.startTime };
    expect(membersOf(lookAround(), withoutMark)).toEqual([]);
    expect(membersOf(lookAround(), withoutMark, family)).toHaveLength(2);
  });

  it('contains a child that left the session and lost its parent, by the mark that it inherited', async () => {
    const { child, prints, ended } = stage.script('runaway.sh');
    const runaway = Number((await prints(/runaway (\d+)/))[1]);
    // Not by treeOf, which would remember its parents for a moment.
    stage.remember(membersOf(lookAround(), child));
    sendSignal(child, 'SIGKILL');
    await ended;
    expect(mayHaveLeft(child, aMoment)).toBe(true);
    expect(mayHaveLeft(child, aDay)).toBe(true);
    expect(pids(treeOf(child))).toContain(runaway);

    const { pid, startTime, tree } = child;
    for (const other of [
      { pid, startTime, tree: { token: 'another' } },
      { pid, startTime, tree: { token: tree!.token, uid: 4_242 } },
      { pid, startTime: (startTimeOf(runaway) ?? 0) + 100, tree },
    ]) {
      expect(mayHaveLeft(other, aMoment)).toBe(false);
      expect(mayHaveLeft(other, aDay)).toBe(false);
      expect(treeOf(other)).toEqual([]);
    }
  });

  it('costs no memory for the environments of other processes', { tags: 'full' }, async () => {
    const { child, prints } = stage.launch(stage.plan({ script: '/bin/sh', args: ['-c', 'echo $$; exec sleep 1000'] }));
    const large = Object.fromEntries(Array.from({ length: 14 }, (_, index) => [`V${index}`, 'x'.repeat(128_000)]));
    const env = { ...large, PATH: process.env.PATH ?? '' };
    const many = 'for i in 1 2 3 4 5 6 7 8 9 10; do sleep 1000 & done; echo all; wait';
    const args = ['-c', `NSV_TREE=${'a'.repeat(32)} exec sh -c '${many}'`];
    const crowd = stage.launch(stage.plan({ script: '/bin/sh', args, env, keepOrphans: true }));
    await Promise.all([prints(/\d/), crowd.prints(/all/)]);
    const before = heapUsed();
    expect(pids(treeOf(child))).toEqual([child.pid]);
    expect(heapUsed() - before).toBeLessThan(5_000_000);
  });

  it('has left nothing behind when its only child has ended too', async () => {
    const { child, prints, ended } = stage.script('runaway.sh');
    await prints(/runaway/);
    const family = treeOf(child);
    signalAll(family, 'SIGKILL');
    await ended;
    await gone(family);
    expect(mayHaveLeft(child, aMoment)).toBe(false);
    expect(mayHaveLeft(child, aDay)).toBe(false);
  });

  it('contains no process that has ended since all processes were read', async () => {
    const { child, ended } = stage.launch(stage.plan({ script: '/bin/sleep', args: ['1000'] }));
    expect(pids(treeOf(child))).toEqual([child.pid]);
    sendSignal(child, 'SIGKILL');
    await ended;
    for (const age of ['new', 'turn', 'recent'] as const) expect(treeOf(child, [], age)).toEqual([]);
  });

  it('contains a child that was started after all processes were read', async () => {
    await nextTurn();
    const first = stage.launch(stage.plan({ script: '/bin/sleep', args: ['1000'] })).child;
    expect(treeOf(first, [], 'turn')).toHaveLength(1);
    const second = stage.launch(stage.plan({ script: '/bin/sleep', args: ['1000'] })).child;
    expect(treeOf(second, [], 'recent')).toEqual([]);
    expect(treeOf(second, [], 'turn')).toEqual([]);
    expect(pids(treeOf(second))).toEqual([second.pid]);
    expect(pids(treeOf(second, [], 'turn'))).toEqual([second.pid]);
  });

  it('contains no zombies', async () => {
    const { child, prints } = stage.script('zombie.sh');
    const zombie = Number((await prints(/zombie (\d+)/))[1]);
    await eventually(() => readStat(zombie)?.alive === false);
    expect(pids(treeOf(child))).toEqual([child.pid]);
    expect(sendSignal(identityOf(zombie), 'SIGKILL')).toBe(false);
  });

  it('contains a process whose first thread has ended', async () => {
    const { child, prints } = stage.launch(
      stage.plan({
        script: fixture('first-thread-ends.py'),
        interpreter: '/usr/bin/env',
        interpreterArgs: ['python3'],
      }),
    );
    await prints(/two threads/);
    expect(pids(treeOf(child))).toEqual([child.pid]);
    expect(sendSignal(child, 'SIGKILL')).toBe(true);
  });

  it('is empty when the pid now belongs to another process, even with a session of that number', async () => {
    const { child, prints } = stage.script('orphan.sh');
    await prints(/orphan/);
    const former = { pid: child.pid, startTime: (child.startTime ?? 0) - 1 };
    expect(treeOf(former)).toEqual([]);
    expect(treeOf({ pid: 2 ** 30, startTime: 1 }, [former])).toEqual([]);
  });

  it('is gone soon after SIGKILL, including children that ignore SIGTERM', async () => {
    const { child, prints } = stage.script('stubborn-family.sh');
    await prints(/child/);
    const family = treeOf(child);
    expect(family.length).toBeGreaterThanOrEqual(2);
    signalAll(family.slice(0, 2), 'SIGTERM');
    expect(sendSignal(child, 'SIGTERM')).toBe(true);
    signalAll(family, 'SIGKILL');
    await gone(family);
    await eventually(() => treeOf(child).length === 0);
  });

  it('is found and killed in well under a second of CPU when it has a thousand members', { tags: 'full' }, async () => {
    const { child, prints } = stage.script('thousand.sh');
    await prints(/all there/);
    const before = process.cpuUsage();
    const family = treeOf(child);
    signalAll(family, 'SIGKILL');
    const { user, system } = process.cpuUsage(before);
    expect(family).toHaveLength(1001);
    // Microseconds. To read of each process for each other one would take half a minute.
    expect(user + system).toBeLessThan(1_000_000);
    await gone(family);
  });
});

describe.skipIf(!hasProc)('a signal', () => {
  it('is not sent to a process with another start time', async () => {
    const { child, ended } = stage.launch(stage.plan({ script: '/bin/sleep', args: ['1000'] }));
    const other = { pid: child.pid, startTime: (child.startTime ?? 0) + 1 };
    expect(sendSignal(other, 'SIGKILL')).toBe(false);
    signalAll([other], 'SIGKILL');
    signalAll([child], 'SIGINT');
    expect(await ended).toEqual({ code: null, signal: 'SIGINT' });
    expect(sendSignal(child, 'SIGKILL')).toBe(false);
    expect(groupLives(child.pid)).toBe(false);
  });

  it('is sent to a living process whose start time is unknown', async () => {
    const { child, ended } = stage.launch(stage.plan({ script: '/bin/sleep', args: ['1000'] }));
    expect(sendSignal({ pid: child.pid, startTime: undefined }, 'SIGTERM')).toBe(true);
    expect((await ended).signal).toBe('SIGTERM');
  });
});
