import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AppProcesses, healthOf, isReady } from '../../../../src/daemon/control/health-report.ts';
import type { Status } from '../../../../src/ipc/views.ts';

/** An app by the words of its instances: those of `nsv list`, and `completed`. */
function app(name: string, ...words: (Status | 'completed')[]): AppProcesses {
  return {
    name,
    processes: words.map((word) => ({
      status: word === 'completed' ? 'stopped' : word,
      completed: word === 'completed',
      restarts: 1,
      reason: word === 'errored' ? 'gave up' : null,
    })),
  };
}

describe('one app', () => {
  it.each<[AppProcesses, object]>([
    [app('web', 'online', 'online'), { wanted: 2, ready: 2, status: 'online', restarts: 2, giveup: null }],
    [app('web', 'online', 'starting'), { wanted: 2, ready: 1, status: 'degraded' }],
    [app('web', 'online', 'errored'), { ready: 1, status: 'degraded', giveup: 'gave up' }],
    [app('web', 'online', 'completed'), { ready: 1, status: 'online' }],
    [app('web', 'stopping', 'starting'), { ready: 0, status: 'starting' }],
    [app('web', 'waiting restart', 'starting'), { ready: 0, status: 'starting' }],
    [app('web', 'waiting restart', 'errored'), { ready: 0, status: 'waiting restart', giveup: 'gave up' }],
    [app('web', 'stopping', 'stopped'), { ready: 0, status: 'stopping' }],
    [app('web', 'completed', 'errored'), { ready: 0, status: 'errored', giveup: 'gave up' }],
    [app('web', 'stopped', 'completed'), { ready: 0, status: 'stopped' }],
    [app('web', 'completed', 'completed'), { ready: 0, status: 'completed', giveup: null }],
  ])('%j is told as %j', (facts, expected) => {
    expect(healthOf([facts], false).apps).toEqual([expect.objectContaining({ name: 'web', ...expected })]);
  });
});

describe('all apps together', () => {
  it.each<[string, AppProcesses[], string]>([
    ['every instance of every app is', [app('web', 'online', 'online'), app('worker', 'online')], 'ready'],
    ['a job has done its work', [app('web', 'online'), app('migration', 'completed')], 'ready'],
    ['one instance of an app is not', [app('web', 'online', 'starting'), app('worker', 'online')], 'degraded'],
    ['nsv gave up on one instance of an app', [app('web', 'online', 'errored')], 'degraded'],
    ['no instance of one app is', [app('web', 'online'), app('worker', 'waiting restart')], 'unready'],
    ['nsv gave up on one app', [app('web', 'online'), app('worker', 'errored')], 'unready'],
    ['one app was stopped', [app('web', 'online'), app('worker', 'stopped')], 'unready'],
    ['one app is on its way out', [app('web', 'stopping'), app('worker', 'online')], 'unready'],
    ['there is nothing but a job, done', [app('migration', 'completed')], 'unready'],
    ['there is no app yet', [], 'unready'],
  ])('when %s', (_case, facts, status) => {
    expect(healthOf(facts, false).status).toBe(status);
  });

  it('are stopping, whatever still serves, when everything is being stopped', () => {
    expect(healthOf([app('web', 'online')], true)).toMatchObject({ status: 'stopping', apps: [{ status: 'online' }] });
  });

  it.each([
    ['ready', true],
    ['degraded', true],
    ['unready', false],
    ['stopping', false],
  ] as const)('may get traffic while %s: %s', (status, expected) => {
    expect(isReady({ status, apps: [] })).toBe(expected);
  });
});

describe('docs/health.md', () => {
  const page = readFileSync(join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'health.md'), 'utf8');

  it('shows what is really told', () => {
    const web = app('web', 'online', 'online', 'online', 'starting');
    const migration = app('migration', 'completed');
    const restarts = [2, 0, 0, 0];
    web.processes = web.processes.map((process, slot) => ({ ...process, restarts: restarts[slot]! }));
    migration.processes = migration.processes.map((process) => ({ ...process, restarts: 0 }));
    const shown = /```json\n([\s\S]*?)```/.exec(page)![1]!;
    expect(JSON.parse(shown)).toEqual(healthOf([web, migration], false));
  });
});
