// Log rotation, with real apps under a real daemon.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RotatedView } from '../../../src/ipc/views.ts';
import { eventually } from '../../helpers/eventually.ts';
import { fieldsOfStat, fixture, homeForEach, launcher } from '../../helpers/nsv.ts';
import { procFile } from '../../helpers/proc.ts';
import { linesThrough, rotations } from '../../helpers/rotated.ts';
import { variants } from '../../helpers/variants.ts';

const nsv = homeForEach();
/** The numbers of each slot, in the order in which they are in the logs. */
function numbersBySlot(files: readonly string[]): Map<string, number[]> {
  const numbers = new Map<string, number[]>();
  for (const line of files.flatMap(linesThrough)) {
    const [slot = '', number] = line.split(' ');
    const known = numbers.get(slot) ?? [];
    known.push(Number(number));
    numbers.set(slot, known);
  }
  return numbers;
}

describe('a Node app that prints numbered lines without a pause', () => {
  variants([
    ['into one file of all instances', ['--merge-logs']],
    ['into a file for each instance', []],
  ])('loses and duplicates no line when its log is rotated by size: %s', async (_, options) => {
    const limits = ['--log-max-size', '100k', '--log-keep', '1000', '--log-total', '0'];
    await nsv.ok('start', fixture('counts.cjs'), '-i', '4', ...options, ...limits);
    const files = [...new Set((await nsv.list()).map(({ outFile }) => outFile!))];
    await eventually(() => files.every((file) => rotations(file).length >= 3));
    await nsv.ok('stop', 'all');
    const numbers = numbersBySlot(files);
    expect([...numbers.keys()].sort()).toEqual(['0', '1', '2', '3']);
    for (const found of numbers.values()) expect(found.filter((number, index) => number !== index)).toEqual([]);
  });
});

describe('overlapping rotations whose rotator is killed each time', () => {
  /** Children of the daemon; they have no environment by which they could be found. */
  const rotators = () =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .filter(
        (pid) =>
          procFile(pid, 'cmdline')?.includes('rotator/main') && fieldsOfStat(Number(pid))[1] === String(nsv.daemonPid),
      );

  it('lose or duplicate no line, even when the daemon dies', { tags: 'full' }, async () => {
    const limits = ['--log-max-size', '100k', '--log-keep', '1000', '--log-total', '0'];
    await nsv.ok('start', fixture('counts.cjs'), '-i', '2', ...limits);
    const files = [...new Set((await nsv.list()).map(({ outFile }) => outFile!))];
    for (let turn = 0; turn < 12; turn += 1) {
      const running = Promise.all([nsv.run('logs', 'rotate', 'all'), nsv.run('logs', 'rotate', 'all')]);
      const [rotator] = await eventually(() => rotators().length > 0 && rotators());
      try {
        process.kill(Number(rotator), 'SIGKILL');
      } catch {
        // It has just done its work.
      }
      if (turn % 4 === 3) await nsv.replaceDaemon();
      await running;
    }
    await nsv.ok('stop', 'all');
    const numbers = numbersBySlot(files);
    expect([...numbers.keys()].sort()).toEqual(['0', '1']);
    for (const found of numbers.values()) expect(found.filter((number, index) => number !== index)).toEqual([]);
  });
});

it('a log is rotated by time too', { tags: 'full' }, async () => {
  const app = nsv.script('prints.sh', '#!/bin/sh\necho one; exec sleep 60');
  await nsv.ok('start', app, '--name', 'web', '--log-rotate', '* * * * * *');
  const file = (await nsv.list())[0]!.outFile!;
  await eventually(() => rotations(file).length === 1);
  expect(linesThrough(file)).toEqual(['one']);
});

describe('nsv logs rotate', () => {
  it('moves the lines of the log to another file, and prints its name', async () => {
    const app = nsv.script('prints.sh', '#!/bin/sh\necho one; echo two; exec sleep 60');
    await nsv.ok('start', app, '--name', 'web');
    const [view] = await nsv.list();
    await eventually(() => readFileSync(view!.outFile!, 'utf8') === 'one\ntwo\n');
    expect(await nsv.ok('logs', 'rotate', 'web')).toMatch(/web-0-out\.log \(8b\) to .*web-0-out\.log\.2\S+Z\n$/);
    expect(readFileSync(view!.outFile!, 'utf8')).toBe('');
    expect(linesThrough(view!.outFile!)).toEqual(['one', 'two']);
    expect(await nsv.ok('logs', 'rotate', 'web')).toBe('nothing to rotate\n');
    expect(JSON.parse(await nsv.ok('logs', 'rotate', '--json')) as RotatedView[]).toEqual([]);
  });

  it.skipIf(process.platform !== 'linux')(
    'rotates files in memory too, although their path is below /dev',
    { tags: 'full' },
    async () => {
      const folder = mkdtempSync('/dev/shm/nsv-');
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const app = nsv.script('prints.sh', '#!/bin/sh\necho one; exec sleep 60');
      await nsv.ok('start', app, '--output', join(folder, 'out.log'), '-i', '2');
      const logs = ['out-0.log', 'out-1.log'].map((name) => join(folder, name));
      await eventually(() => logs.every((log) => readFileSync(log, 'utf8') === 'one\n'));
      await nsv.ok('logs', 'rotate');
      expect(logs.map(linesThrough)).toEqual([['one'], ['one']]);
      expect(logs.map((log) => readFileSync(log, 'utf8'))).toEqual(['', '']);
    },
  );

  it('is scheduled by --log-rotate, which rejects an invalid pattern', { tags: 'full' }, async () => {
    const app = nsv.script('prints.sh', '#!/bin/sh\nexec sleep 60');
    const stderr = await nsv.fails(2, 'start', app, '--log-rotate', 'sometimes');
    expect(stderr).toContain('--log-rotate must be a cron pattern');
    await nsv.ok('start', app, '--log-rotate', 'daily');
  });

  it('does not hide an app named "rotate" if options come first', { tags: 'full' }, async () => {
    const app = nsv.script('prints.sh', '#!/bin/sh\necho hello; exec sleep 60');
    await nsv.ok('start', app, '--name', 'rotate');
    const [view] = await nsv.list();
    await eventually(() => readFileSync(view!.outFile!, 'utf8') === 'hello\n');
    expect(await nsv.ok('logs', '--nostream', '--raw', 'rotate')).toBe('hello\n');
    expect((await nsv.run('logs', 'rotate', 'web')).code).toBe(3);
  });
});

describe('a log that logrotate has renamed', () => {
  const app = () => nsv.script('counts.sh', '#!/bin/sh\nn=0; while :; do echo "0 $n"; n=$((n+1)); sleep 0.01; done');

  it('is reopened under its own name by nsv logs reopen, without losing a line', async () => {
    await nsv.ok('start', app(), '--name', 'web');
    const file = (await nsv.list())[0]!.outFile!;
    await eventually(() => readFileSync(file, 'utf8') !== '');
    renameSync(file, `${file}.1`);
    expect(await nsv.ok('logs', 'reopen')).toContain(`to ${file}.1`);
    await eventually(() => readFileSync(file, 'utf8') !== '');
    await nsv.ok('stop', 'web');
    const lines = [`${file}.1`, file]
      .map((name) => readFileSync(name, 'utf8'))
      .join('')
      .split('\n')
      .slice(0, -1);
    expect(lines).toEqual(lines.map((_, index) => `0 ${index}`));
    expect(await nsv.ok('logs', 'reopen')).toBe('log files are current: nothing to reopen\n');
  });

  it('is reopened on SIGUSR2 to the daemon too, as is the log of the daemon', { tags: 'full' }, async () => {
    await nsv.ok('start', app(), '--name', 'web');
    const file = (await nsv.list())[0]!.outFile!;
    const own = join(nsv.home, 'daemon.log');
    for (const each of [file, own]) renameSync(each, `${each}.1`);
    process.kill(nsv.daemonPid!, 'SIGUSR2');
    await eventually(() => existsSync(file) && existsSync(own));
    expect(await nsv.ok('logs', 'reopen')).toBe('log files are current: nothing to reopen\n');
  });

  it('is reported with a remedy if it was deleted', { tags: 'full' }, async () => {
    await nsv.ok('start', app(), '--name', 'web');
    rmSync((await nsv.list())[0]!.outFile!);
    const stderr = await nsv.fails(8, 'logs', 'reopen');
    expect(stderr).toMatch(/the file was deleted, but the app still writes to it.*nsv reload/s);
  });
});

describe('a full disk', () => {
  // A file system of its own: mounted for the daemon and its apps alone.
  const isRoot = process.getuid?.() === 0;

  it.skipIf(!isRoot)(
    'ends neither the app nor the daemon, and is logged once, as is its end',
    { tags: 'full' },
    async () => {
      const app = nsv.script(
        'prints.cjs',
        `let n = 0; // Enough to fill the disk, then a line now and then.
         const line = 'x'.repeat(9999);
         setInterval(() => {
           if (++n > 200 && n % 100 !== 0) return;
           console.log(line);
           process.stdout.write(line + '\\n');
         }, 5);`,
      );
      const mount = nsv.script('mount.sh', '#!/bin/sh\nmount -t tmpfs -o size=3m none "$1" && shift && exec "$@"');
      const disk = join(nsv.directory, 'disk');
      mkdirSync(disk);
      const outputs = ['--output', join(disk, 'out.log'), '--error', join(disk, 'err.log')];
      const words = ['start', app, '--name', 'web', ...outputs];
      const { code } = await nsv.runWith({ program: 'unshare' }, '-m', mount, disk, launcher, ...words);
      expect(code).toBe(0);
      const reported = () => nsv.log().match(/"msg":"(problem|solved)"/g) ?? [];
      await eventually(() => reported().length === 1);
      // Errors go to the same disk: one trouble all the same.
      expect((await nsv.ok('show', 'web')).match(/the disk is full, so new output is lost/g)).toHaveLength(1);
      expect(await nsv.list()).toMatchObject([{ status: 'online', restarts: 0 }]);

      truncateSync(join('/proc', String(nsv.daemonPid), 'root', disk, 'out.log'));
      await eventually(() => reported().length === 2);
      expect(reported()).toEqual(['"msg":"problem"', '"msg":"solved"']);
      expect(await nsv.list()).toMatchObject([{ status: 'online', restarts: 0 }]);
    },
  );
});
