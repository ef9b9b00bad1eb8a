// `broadcast`, `instances` and `metric` of `nsv/app`, through the daemon.
// @module-tag full
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AppMetrics } from '../../../src/client/metrics.ts';
import type { AppView } from '../../../src/ipc/views.ts';
import { installNsv } from '../../helpers/app-library.ts';
import { eventually } from '../../helpers/eventually.ts';
import { homeForEach } from '../../helpers/nsv.ts';

const nsv = homeForEach();

beforeEach(() => installNsv(nsv.directory));

/** Instance 0 broadcasts and asks who is there when it gets SIGUSR2. */
const source = `const { appendFileSync } = require('node:fs');
const { broadcast, instance, instances, metric, onMessage } = require('nsv/app');
const say = (what) => appendFileSync('said-' + instance.slot, JSON.stringify(what) + '\\n');
onMessage((message, from) => say([message, from.slot]));
const jobs = metric.counter('jobs');
jobs.add(instance.slot + 1, { kind: 'mail' });
metric.histogram('wait', { buckets: [1, 2] }).record(instance.slot);
// The others are ended by the signal.
if (instance.slot === 1)
  process.on('SIGTERM', () => {
    jobs.add(10, { kind: 'mail' });
    process.exit();
  });
process.on('SIGUSR2', async () => {
  if (instance.slot !== 0) return;
  await broadcast({ hello: 'all' });
  say((await instances()).map(({ slot, alive, pid }) => [slot, alive, pid]));
});
setInterval(() => {}, 60_000);
broadcast('up').then(() => say('up'));`;

function said(slot: number): unknown[] {
  const file = join(nsv.directory, `said-${slot}`);
  // The last line may be incomplete.
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
  return lines.map((line) => JSON.parse(line) as unknown);
}

const hasReceived = (slot: number, what: unknown) =>
  eventually(() => said(slot).some((line) => JSON.stringify(line) === JSON.stringify(what)));

async function metrics(): Promise<Partial<AppMetrics>> {
  const [app] = JSON.parse(await nsv.ok('show', 'web', '--json')) as (AppView & Partial<AppMetrics>)[];
  return app!;
}

describe('the instances of an app', () => {
  it('exchange messages, list each other and sum their metrics', async () => {
    await nsv.ok('start', nsv.script('app.cjs', source), '--name', 'web', '-i', '3');
    for (const slot of [0, 1, 2]) await hasReceived(slot, 'up');
    const pids = await nsv.pids('web');
    await nsv.ok('signal', 'SIGUSR2', 'web');
    for (const slot of [1, 2]) await hasReceived(slot, [{ hello: 'all' }, 0]);
    await hasReceived(
      0,
      pids.map((pid, slot) => [slot, true, pid]),
    );

    // Another daemon is told who listens; of the processes that end it knows those that it has seen.
    await nsv.replaceDaemon();
    await eventually(() => nsv.answers());
    process.kill(pids[2]!, 'SIGKILL');
    const successor = await eventually(async () => {
      const view = (await nsv.list('web'))[2];
      return view?.status === 'online' && view.pid !== pids[2] && view.pid;
    });
    await hasReceived(2, 'up');
    const before = said(1).length;
    await eventually(async () => {
      await nsv.ok('signal', 'SIGUSR2', 'web');
      return said(1).length > before;
    });
    await hasReceived(0, [
      [0, true, pids[0]],
      [1, true, pids[1]],
      [2, true, successor],
      [2, false, pids[2]],
    ]);

    const { metrics: merged, silent } = await eventually(async () => {
      const seen = await metrics();
      return seen.metrics?.[0]?.series[0]?.value === 6 && seen;
    });
    expect(silent).toEqual([]);
    const about = { help: '', unit: '' };
    expect(merged).toEqual([
      { ...about, name: 'jobs', type: 'counter', series: [{ labels: { kind: 'mail' }, value: 6 }] },
      {
        ...about,
        name: 'wait',
        type: 'histogram',
        bounds: [1, 2],
        series: [{ labels: {}, value: 3, counts: [2, 1, 0] }],
      },
    ]);
  });

  it('have counters that do not fall when processes or the daemon are replaced', async () => {
    await nsv.ok('start', nsv.script('app.cjs', source), '--name', 'web', '-i', '3');
    /** Undefined if not all processes have answered. */
    const jobs = async () => {
      const { metrics: merged, silent } = await metrics();
      return silent?.length === 0 ? merged?.find(({ name }) => name === 'jobs')?.series[0]?.value : undefined;
    };
    await eventually(async () => (await jobs()) === 6);
    let isOver = false;
    const reload = nsv.ok('reload', 'web').finally(() => {
      isOver = true;
    });
    const seen: (number | undefined)[] = [];
    while (!isOver) seen.push(await jobs());
    await reload;
    const known = seen.filter((value) => value !== undefined);
    expect(known).toEqual(known.toSorted((a, b) => a - b));
    await eventually(async () => (await jobs()) === 6 + 10 + 6);
    // It is answered when the next daemon will know all of this.
    await nsv.ok('reset', 'web');
    await nsv.replaceDaemon();
    await eventually(async () => (await nsv.answers()) && (await jobs()) === 6 + 10 + 6);
    await nsv.ok('stop', 'web');
    expect(await jobs()).toBe(6 + 10 + 6 + 10);
  });

  it('have no metrics if they do not use nsv/app', async () => {
    await nsv.ok('start', nsv.script('plain.cjs', 'setInterval(() => {}, 60_000)'), '--name', 'web');
    expect(await metrics()).not.toHaveProperty('metrics');
  });
});
