// When log files are looked at and rotated: real files, a clock that is turned by hand, and a rotator that only notes.
import { appendFileSync, truncateSync, writeFileSync } from 'node:fs';
import { beforeEach, expect, it } from 'vitest';
import type { Group } from '../../../src/daemon/apps/group.ts';
import { createEventBus, type DaemonEvent } from '../../../src/daemon/events.ts';
import { Problems } from '../../../src/daemon/problems.ts';
import { createRotationScheduler } from '../../../src/daemon/rotation/rotation-scheduler.ts';
import { RotationFailure } from '../../../src/daemon/rotation/rotator.ts';
import { directoryForEach } from '../../helpers/directory.ts';
import { eventually } from '../../helpers/eventually.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';

const at = directoryForEach();
let log: string;
let clock: FakeClock;
let rotated: string[];
let reported: DaemonEvent[];
let problem: RotationFailure | undefined;
let begin: () => void;

beforeEach(() => {
  log = at('web-0-out.log');
  writeFileSync(log, '');
  clock = new FakeClock();
  rotated = [];
  reported = [];
  problem = undefined;
  const events = createEventBus();
  const child = { pid: 7, plan: { outFile: log, errorFile: '/dev/null' } };
  const spec = { logMaxSize: 1_000, logKeep: 3, logTotal: 0, logCompress: true };
  const group = { isActive: true, spec, all: [{ child }] } as unknown as Group;
  createRotationScheduler({
    clock,
    events,
    problems: new Problems(clock, events.emit),
    groups: () => [group],
    logs: { directory: at(), most: 0 },
    runFor: () => async (task) => {
      rotated.push(task.file);
      if (problem) throw problem;
      truncateSync(log);
      return { to: `${log}.old`, bytes: 1_000, stopped: 1 };
    },
  });
  events.subscribe((event) => reported.push(event));
  begin = () => events.emit({ type: 'start', pid: 7, logsAt: {}, app: 'web', id: 0, slot: 0 });
});

/** The kernel tells of a change in its own time. */
const found = () =>
  eventually(async () => {
    await clock.passes(300);
    return rotated.length === 1;
  });

const grow = (bytes: number) => appendFileSync(log, 'x'.repeat(bytes));

it('no file is checked before a process has started', () => {
  expect(clock.pending).toBe(0);
});

it('a file is rotated once it reaches its maximum size', async () => {
  begin();
  grow(999);
  await clock.passes(2_000);
  expect(rotated).toEqual([]);
  grow(1);
  await found();
  expect(reported).toMatchObject([{ type: 'start' }, { type: 'rotate', file: log }]);
});

it('only one timer runs while no file grows, and growth is still noticed', async () => {
  begin();
  await clock.passes(10_000);
  const rest = clock.now();
  await clock.passes(600_000);
  expect(clock.pending).toBe(1);
  expect(rest).toBe(10_000);
  grow(2_000);
  await found();
});

it('a file that cannot be rotated is retried ever less often, and reported once', async () => {
  problem = new RotationFailure({ detail: 'ENOSPC', later: false });
  begin();
  grow(1_000);
  await clock.passes(60_000);
  expect(rotated.length).toBeGreaterThan(2);
  expect(rotated.length).toBeLessThan(8);
  expect(reported.filter(({ type }) => type === 'problem')).toHaveLength(1);
  problem = undefined;
  await clock.passes(120_000);
  expect(reported.at(-2)).toMatchObject({ type: 'solved', about: 'log', file: log });
});

it('a file whose writers did not stop in time is reported only after several attempts', async () => {
  problem = new RotationFailure({ detail: 'late', later: true });
  begin();
  grow(1_000);
  await clock.passes(7_500);
  expect(reported.map(({ type }) => type)).toEqual(['start']);
  await clock.passes(60_000);
  expect(reported.map(({ type }) => type)).toEqual(['start', 'problem']);
});
