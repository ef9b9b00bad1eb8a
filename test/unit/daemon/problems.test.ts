// What is wrong at the moment, and the warnings of the daemon: both are events.
import { describe, expect, it } from 'vitest';
import { createEventBus, type DaemonEvent } from '../../../src/daemon/events.ts';
import { createMessages, told } from '../../../src/daemon/logger.ts';
import { type ProblemEvent, Problems } from '../../../src/daemon/problems.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';

describe('a problem', () => {
  it('is an event when it begins, has another cause, and is over', async () => {
    const clock = new FakeClock();
    const events: ProblemEvent[] = [];
    const problems = new Problems(clock, (event) => events.push(event));
    problems.set('watch', null);
    for (const detail of ['gone', 'gone', 'denied']) problems.set('watch', detail, '/a');
    await clock.passes(1_000);
    expect(problems.views()).toEqual([{ about: 'watch', detail: '/a: denied', ago: 1_000 }]);
    problems.set('watch', null, '/a');
    expect(problems.views()).toEqual([]);
    expect(events).toEqual([
      { type: 'problem', about: 'watch', file: '/a', detail: 'gone' },
      { type: 'problem', about: 'watch', file: '/a', detail: 'denied' },
      { type: 'solved', about: 'watch', file: '/a' },
    ]);
  });

  it('of a file is that of the apps that use it, and is over when none does', () => {
    const problems = new Problems(new FakeClock(), () => {});
    problems.set('log', 'full', '/a');
    problems.set('log', '/b is full', '/b');
    expect(problems.views(new Set(['/b']))).toMatchObject([{ detail: '/b is full' }]);
    problems.keep((file) => file === '/a');
    expect(problems.views()).toMatchObject([{ detail: '/a: full' }]);
  });
});

it('a warning or an error in the log of the daemon is an event with all that the line says', () => {
  const bus = createEventBus();
  const events: DaemonEvent[] = [];
  const lines: string[] = [];
  bus.subscribe((event) => events.push(event));
  const logger = told(
    createMessages((line) => lines.push(line), 'info'),
    bus,
  );
  logger.info('adopted');
  logger.warn({ pid: 7, app: 'web' }, 'stopping a process');
  logger.error({ err: new Error('boom') }, 'SIGUSR2');
  logger.error('failed to write');
  expect(events).toEqual([
    { type: 'warning', app: 'web', detail: 'stopping a process: pid 7' },
    { type: 'warning', detail: 'SIGUSR2: boom' },
    { type: 'warning', detail: 'failed to write' },
  ]);
  expect(lines.map((line) => (JSON.parse(line) as { warning?: true }).warning)).toEqual([undefined, true, true, true]);
});
