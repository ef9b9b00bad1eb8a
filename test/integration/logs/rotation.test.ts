// The rotator, with real files and real programs that write to them.
import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createRotator, type RunJob } from '../../../src/daemon/rotation/rotator.ts';
import { recover } from '../../../src/logs/rotation-recovery.ts';
import { threadStates } from '../../../src/os/proc.ts';
import { type RotationDeps, rotate as rotateHere } from '../../../src/rotator/rotation.ts';
import { realClock } from '../../../src/shared/clock.ts';
import { installed } from '../../../src/shared/paths.ts';
import { rotatedName } from '../../../src/shared/rotations.ts';
import { directoryForEach } from '../../helpers/directory.ts';
import { eventually } from '../../helpers/eventually.ts';
import { fixture, root } from '../../helpers/nsv.ts';
import { endChild } from '../../helpers/proc.ts';
import { linesThrough, Rotators, rotations } from '../../helpers/rotated.ts';

const at = directoryForEach();
let log: string;
let record: string;
const children: ChildProcess[] = [];
const rotators = new Rotators();

beforeEach(() => {
  log = at('web.log');
  record = at('rotation.json');
});

afterEach(async () => {
  await Promise.all([rotators.end(), ...children.splice(0).map(endChild)]);
});

function writer(command: string, ...args: string[]): ChildProcess {
  const out = openSync(log, 'a');
  const child = spawn(command, args, { stdio: ['ignore', out, 'ignore'], detached: true });
  closeSync(out);
  children.push(child);
  return child;
}

const retention = () => ({ keep: 100, total: 0, family: [log], compress: true, logs: { directory: at(), most: 0 } });

function createRun(
  trouble: (detail: string) => void = (detail) => expect.unreachable(detail),
  program = installed.rotator,
): RunJob {
  return createRotator({
    clock: realClock,
    launch: (events) => rotators.launch(program, record, events),
    recover: () => recover(record),
    deleted() {},
    trouble,
  });
}

const rotate = (run: RunJob, more: object = {}) =>
  run({ do: 'rotate', file: log, writers: [], retention: { ...retention(), ...more } });

/** Whole numbers from 0 on, one a line. */
const counted = (lines: string[]) => lines.every((line, index) => line.split(' ')[1] === String(index));

describe('a log that is written without a pause', () => {
  it('is rotated repeatedly without a line lost or duplicated', async () => {
    const run = createRun();
    const child = writer(process.execPath, fixture('counts.cjs'));
    for (let round = 0; round < 20; round += 1) {
      await eventually(() => statSync(log).size > 10_000);
      await rotate(run);
    }
    child.kill('SIGKILL');
    await eventually(() => child.signalCode);
    const lines = linesThrough(log);
    expect(rotations(log)).toHaveLength(20);
    expect(counted(lines)).toBe(true);
  });

  it('may be held by descendants that nsv does not know', { tags: 'full' }, async () => {
    const run = createRun();
    const child = writer(
      'sh',
      '-c',
      '(trap "" TERM; n=0; while :; do echo "0 $n"; n=$((n+1)); [ $((n % 100)) = 0 ] && sleep 0.01; done) & wait',
    );
    for (let round = 0; round < 10; round += 1) {
      await eventually(() => statSync(log).size > 1_000);
      await rotate(run);
    }
    process.kill(-child.pid!, 'SIGKILL');
    await eventually(() => child.signalCode);
    expect(counted(linesThrough(log))).toBe(true);
  });
});

describe('a rotation', () => {
  it('does not resume a process that was stopped before', { tags: 'full' }, async () => {
    const child = writer('sleep', '60');
    child.kill('SIGSTOP');
    await eventually(() => threadStates(child.pid!).every((state) => state === 'T'));
    writeFileSync(log, 'a line\n');
    await rotate(createRun());
    expect(threadStates(child.pid!)).toEqual(['T']);
    expect(linesThrough(log)).toEqual(['a line']);
  });

  it('ignores an empty or a missing file', async () => {
    const run = createRun();
    expect(await rotate(run)).toEqual({ to: null, bytes: 0, stopped: 0 });
    writeFileSync(log, '');
    expect(await rotate(run)).toEqual({ to: null, bytes: 0, stopped: 0 });
    expect(rotations(log)).toEqual([]);
  });

  it('compresses all but the newest', async () => {
    const run = createRun();
    for (const text of ['one\n', 'two\n', 'three\n']) {
      writeFileSync(log, text);
      await rotate(run);
    }
    await eventually(() => rotations(log).filter(({ isCompressed }) => isCompressed).length === 2);
    expect(rotations(log).map(({ isCompressed }) => isCompressed)).toEqual([false, true, true]);
    expect(linesThrough(log)).toEqual(['one', 'two', 'three']);
  });

  it('keeps owner and mode of the log under any umask, compressed or not', { tags: 'full' }, async () => {
    const before = process.umask(0o077);
    onTestFinished(() => void process.umask(before));
    const run = createRun();
    for (const text of ['one\n', 'two\n']) {
      writeFileSync(log, text);
      chmodSync(log, 0o664);
      // Only root may give a file away.
      if (process.geteuid?.() === 0) chownSync(log, 65534, 65534);
      await rotate(run);
    }
    await eventually(() => rotations(log).some(({ isCompressed }) => isCompressed));
    const { uid, gid, mode } = statSync(log);
    for (const { name } of rotations(log)) expect(statSync(at(name))).toMatchObject({ uid, gid, mode });
  });

  it('gets a name that sorts after earlier ones, even when the clock was set back', () => {
    const withWritersPaused: RotationDeps['withWritersPaused'] = (_stats, _names, act) => {
      act({ verify() {} });
      return 0;
    };
    for (const at of [5_000, 5_000, 1_000]) {
      writeFileSync(log, `${rotations(log).length}\n`);
      rotateHere(log, { withWritersPaused, wall: () => at, most: Number.POSITIVE_INFINITY });
    }
    expect(linesThrough(log)).toEqual(['0', '1', '2']);
  });

  it('deletes all but the newest few', async () => {
    const run = createRun();
    for (const text of ['one\n', 'two\n', 'three\n']) {
      writeFileSync(log, text);
      await rotate(run, { keep: 2 });
    }
    await eventually(() => rotations(log).length === 2);
    expect(linesThrough(log)).toEqual(['two', 'three']);
  });

  it('deletes and compresses the others when one fails or is half compressed', { tags: 'full' }, async () => {
    const problems: string[] = [];
    const run = createRun((detail) => problems.push(detail));
    mkdirSync(rotatedName(log, 3_000));
    for (const at of [1_000, 2_000]) writeFileSync(rotatedName(log, at), `${at}\n`);
    writeFileSync(`${rotatedName(log, 1_000)}.gz.part`, '');
    writeFileSync(log, 'new\n');
    await rotate(run, { keep: 1 });
    const left = () => readdirSync(at()).filter((name) => ![log, record].map((file) => basename(file)).includes(name));
    await eventually(() => left().length === 2);
    expect(left()[0]).toBe(basename(rotatedName(log, 3_000)));

    writeFileSync(rotatedName(log, 2_000), '2000\n');
    writeFileSync(log, 'newer\n');
    await rotate(run, { keep: 9 });
    await eventually(() => left().filter((name) => name.endsWith('.gz')).length === 2);
    expect(new Set(problems.map((detail) => /EISDIR/.test(detail)))).toEqual(new Set([true]));
  });

  it('deletes the oldest of all logs when they exceed their total size', async () => {
    const run = createRun();
    const other = at('other.log.2026-01-01T00-00-00-000Z.gz');
    writeFileSync(other, 'x'.repeat(500));
    writeFileSync(log, 'y'.repeat(600));
    await rotate(run, { logs: { directory: at(), most: 1_000 } });
    await eventually(() => !existsSync(other));
    expect(rotations(log)).toHaveLength(1);
  });

  it('fails with the error of the system, and leaves nothing behind', async () => {
    rmSync(log, { force: true });
    writeFileSync(at('file'), '');
    log = at('file', 'web.log');
    await expect(rotate(createRun())).rejects.toThrow(/ENOTDIR/);
    expect(readdirSync(at())).toEqual(['file', basename(record)]);
  });
});

describe('reopening a log', () => {
  const reopen = (run: RunJob, child: ChildProcess) =>
    run({ do: 'reopen', file: log, writers: [child.pid!], descriptors: [{ pid: child.pid!, fd: 1 }] });

  it.each(['created again', 'not created again'])('restores the name of a renamed log that was %s', async (how) => {
    const child = writer(process.execPath, fixture('counts.cjs'));
    await eventually(() => statSync(log).size > 1_000);
    const moved = `${log}.1`;
    renameSync(log, moved);
    if (how === 'created again') writeFileSync(log, '');
    expect(await reopen(createRun(), child)).toMatchObject({ to: moved });
    await eventually(() => statSync(log).size > 1_000);
    child.kill('SIGKILL');
    await eventually(() => child.signalCode);
    const texts = [moved, log].map((file) => readFileSync(file, 'utf8'));
    expect(counted(texts.join('').split('\n').slice(0, -1))).toBe(true);
  });

  it('does nothing when it was not renamed', async () => {
    expect(await reopen(createRun(), writer('sleep', '60'))).toMatchObject({ to: null });
  });

  it('fails when it was deleted', async () => {
    const child = writer('sleep', '60');
    rmSync(log);
    await expect(reopen(createRun(), child)).rejects.toThrow(`the file was deleted, but the app still writes to it`);
  });
});

describe('the recovery from the death of a rotator', { tags: 'full' }, () => {
  it('succeeds at every step, and leaves no process stopped', async () => {
    const run = createRun(undefined, join(root, 'test', 'fixtures', 'rotator', 'falls.cjs'));
    const order = at('order.json');
    const child = writer(process.execPath, fixture('counts.cjs'));
    // The descriptor of the record is 3.
    for (const [call, words] of [
      ['openSync', '\\.part'],
      ['writeSync', '^3 .*"stopped"'],
      ['ftruncateSync', '^3 [1-9]'],
      ['renameSync', '\\.part'],
      ['ftruncateSync', '^(?!3)\\d+ 0$'],
      ['ftruncateSync', '^3 0$'],
    ])
      for (const after of [false, true]) {
        await eventually(() => statSync(log).size > 1_000);
        writeFileSync(order, JSON.stringify({ call, words, after }));
        await rotate(run).catch(() => {});
        expect(existsSync(order)).toBe(false);
      }
    const { size } = statSync(log);
    await eventually(() => statSync(log).size !== size);
    child.kill('SIGKILL');
    await eventually(() => child.signalCode);
    expect(counted(linesThrough(log))).toBe(true);
  });

  it('resumes the processes that were stopped, and removes a copy of what is still in the log', () => {
    const child = writer('sleep', '60');
    const { pid } = child;
    child.kill('SIGSTOP');
    const to = `${log}.2026-11-21T18-20-05-123Z`;
    writeFileSync(log, 'a line\n');
    writeFileSync(to, 'a line\n');
    const stopped = [{ pid, startTime: undefined }];
    writeFileSync(record, JSON.stringify({ rotator: { pid: 0 }, stopped, file: log, draft: `${to}.part`, to }));
    recover(record);
    expect(threadStates(pid!)).not.toEqual(['T']);
    expect(linesThrough(log)).toEqual(['a line']);
    expect(readdirSync(at())).toEqual(['web.log']);
  });

  it('keeps the copy of a log that was already emptied', () => {
    const to = `${log}.2026-11-21T18-20-05-123Z`;
    writeFileSync(log, '');
    writeFileSync(to, 'a line\n');
    writeFileSync(record, JSON.stringify({ rotator: { pid: 0 }, stopped: [], file: log, draft: `${to}.part`, to }));
    recover(record);
    expect(linesThrough(log)).toEqual(['a line']);
    expect(existsSync(record)).toBe(false);
  });
});
