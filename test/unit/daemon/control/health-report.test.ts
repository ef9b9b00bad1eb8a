import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isAppReady, isHealthReady } from '../../../../src/client/health.ts';
import { type AppHealthFacts, type Circumstances, healthOf } from '../../../../src/daemon/control/health-report.ts';
import type { Status } from '../../../../src/ipc/views.ts';

type Word = Status | 'not ready' | 'completed' | 'ended' | 'errored for now';

/** An app by the words of its instances: those of `nsv list`, and `errored for now` with `--retry-after`. */
function app(name: string, ...words: Word[]): AppHealthFacts {
  return {
    name,
    processes: words.map((word) => ({
      status: statusOf(word),
      ...(word === 'not ready' && { unready: 'the queue is full' }),
      completed: word === 'completed',
      ...((word === 'completed' || word === 'ended') && { finished: true as const }),
      restarts: 1,
      reason: word.startsWith('errored') ? 'gave up' : null,
      isLost: word === 'errored',
    })),
  };
}

function statusOf(word: Word): Status {
  if (word === 'completed' || word === 'ended') return 'stopped';
  if (word === 'errored for now') return 'errored';
  return word === 'not ready' ? 'online' : word;
}

function health(facts: readonly AppHealthFacts[], circumstances: Partial<Circumstances> = {}) {
  return healthOf(facts, { isStopping: false, hasStarted: false, ...circumstances });
}

describe('one app', () => {
  it.each<[AppHealthFacts, object]>([
    [app('web', 'online', 'online'), { wanted: 2, ready: 2, status: 'online', restarts: 2, giveup: null }],
    [app('web', 'online', 'not ready'), { wanted: 2, ready: 1, status: 'degraded' }],
    [app('web', 'not ready', 'starting'), { ready: 0, status: 'not ready' }],
    [app('web', 'online', 'starting'), { wanted: 2, ready: 1, status: 'degraded' }],
    [app('web', 'online', 'errored'), { ready: 1, status: 'degraded', giveup: 'gave up' }],
    [app('web', 'online', 'completed'), { ready: 1, status: 'online' }],
    [app('web', 'stopping', 'starting'), { ready: 0, status: 'starting' }],
    [app('web', 'waiting restart', 'starting'), { ready: 0, status: 'starting' }],
    [app('web', 'waiting restart', 'errored'), { ready: 0, status: 'waiting restart', giveup: 'gave up' }],
    [app('web', 'stopping', 'stopped'), { ready: 0, status: 'stopping' }],
    [app('web', 'completed', 'errored'), { ready: 0, status: 'errored', giveup: 'gave up' }],
    [app('web', 'stopped', 'completed'), { ready: 0, status: 'stopped' }],
    [app('web', 'stopped', 'ended', 'completed'), { ready: 0, status: 'ended' }],
    [app('web', 'completed', 'completed'), { ready: 0, status: 'completed', giveup: null }],
  ])('is reported: %j as %j', (facts, expected) => {
    expect(health([facts]).apps).toEqual([expect.objectContaining({ name: 'web', ...expected })]);
  });
});

describe('all apps together', () => {
  it.each<[string, AppHealthFacts[], string]>([
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
  ])('are $2 if %s', (_case, facts, status) => {
    expect(health(facts).status).toBe(status);
  });

  it('are stopping during a stop of everything, even if some still serve', () => {
    expect(health([app('web', 'online')], { isStopping: true })).toMatchObject({
      status: 'stopping',
      live: true,
      apps: [{ status: 'online' }],
    });
  });

  it.each([
    ['ready', true],
    ['degraded', true],
    ['unready', false],
    ['stopping', false],
  ] as const)('may get traffic while %s: %s', (status, expected) => {
    expect(isHealthReady({ status })).toBe(expected);
  });
});

describe('liveness', () => {
  it.each<[string, AppHealthFacts[], boolean]>([
    ['nsv gave up on an app', [app('web', 'errored', 'errored'), app('worker', 'online')], false],
    ['nsv gave up on an app of which the rest was stopped', [app('web', 'errored', 'stopped')], false],
    ['another instance serves', [app('web', 'errored', 'online')], true],
    ['another instance is being started', [app('web', 'errored', 'starting')], true],
    ['another instance finishes its work', [app('web', 'errored', 'stopping')], true],
    ['it is replaced', [app('web', 'waiting restart')], true],
    ['nsv will try again', [app('web', 'errored for now')], true],
    ['a user has stopped it', [app('web', 'stopped')], true],
    ['there is no app', [], true],
  ])('is $2 if %s', (_case, facts, expected) => {
    expect(health(facts).live).toBe(expected);
  });

  it('is that of the main app if one is named', () => {
    const facts = [app('web', 'online'), app('exporter', 'errored')];
    expect(health(facts, { purpose: 'web' }).live).toBe(true);
    expect(health(facts, { purpose: 'exporter' }).live).toBe(false);
  });
});

describe('the start', () => {
  it('is complete once everything has been ready', () => {
    expect(health([app('web', 'starting')]).started).toBe(false);
    expect(health([app('web', 'online')]).started).toBe(true);
    expect(health([app('web', 'starting')], { hasStarted: true }).started).toBe(true);
  });
});

describe('a single app', () => {
  it.each<[Word, boolean]>([
    ['online', true],
    ['completed', true],
    ['starting', false],
    ['stopped', false],
    ['errored', false],
  ])('is ready while %s: %s', (word, expected) => {
    expect(isAppReady(health([app('web', word)]).apps[0]!)).toBe(expected);
  });
});

describe('docs/health.md', () => {
  const page = readFileSync(join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'health.md'), 'utf8');

  it('shows the actual report', () => {
    const web = app('web', 'online', 'online', 'online', 'starting');
    const migration = app('migration', 'completed');
    const restarts = [2, 0, 0, 0];
    web.processes = web.processes.map((process, slot) => ({ ...process, restarts: restarts[slot]! }));
    migration.processes = migration.processes.map((process) => ({ ...process, restarts: 0 }));
    const shown = /```json\n([\s\S]*?)```/.exec(page)![1]!;
    expect(JSON.parse(shown)).toEqual(health([web, migration]));
  });
});
