import { beforeEach, describe, expect, it } from 'vitest';
import type { MetricSnapshot } from '../../../src/ipc/app/views.ts';
import { FakeBridge, load } from '../../helpers/fake-bridge.ts';

let bridge: FakeBridge;

beforeEach(() => {
  bridge = new FakeBridge();
});

describe('metrics', () => {
  const read = () => bridge.readMetrics() as MetricSnapshot[];

  it('are sent only when the daemon reads them', async () => {
    const { metric } = await load(bridge);
    const jobs = metric.counter('jobs_total', { help: 'Jobs done' });
    jobs.add();
    jobs.add(2, { status: 'ok', more: 1 });
    jobs.add(1, { more: 1, status: 'ok' });
    metric.gauge('depth', { merge: 'max' }).set(7);
    metric.gauge('depth').add(-2);
    const waits = metric.histogram('wait_seconds', { unit: 'seconds', buckets: [1, 5] });
    for (const value of [0.5, 1, 5.5, 2]) waits.record(value);
    expect(bridge.sent).toEqual([{ type: 'capabilities', messages: false, metrics: true, checks: false }]);
    const jobSeries = [
      { labels: {}, value: 1 },
      { labels: { status: 'ok', more: '1' }, value: 3 },
    ];
    const counts = JSON.parse(bridge.readCounts()) as MetricSnapshot[];
    expect(counts.map(({ name }) => name)).toEqual(['jobs_total', 'wait_seconds']);
    expect(read()).toEqual([
      { name: 'jobs_total', type: 'counter', help: 'Jobs done', unit: '', series: jobSeries },
      { name: 'depth', type: 'gauge', help: '', unit: '', merge: 'max', series: [{ labels: {}, value: 5 }] },
      {
        name: 'wait_seconds',
        type: 'histogram',
        help: '',
        unit: 'seconds',
        bounds: [1, 5],
        series: [{ labels: {}, value: 9, counts: [2, 1, 1] }],
      },
    ]);
  });

  it('are limited in number, and so are their label sets', async () => {
    const { metric } = await load(bridge);
    const hits = metric.counter('hits');
    for (let user = 0; user < 1_000; user += 1) hits.add(1, { user });
    const [{ series } = { series: [] }] = read();
    expect(series).toHaveLength(201);
    expect(series.at(-1)).toEqual({ labels: { overflow: 'true' }, value: 800 });
    expect(() => {
      for (let count = 0; count < 101; count += 1) metric.gauge(`g${count}`);
    }).toThrow(RangeError);
  });

  it('are carried over as sums without labels if the labels are too long', async () => {
    const { metric } = await load(bridge);
    const hits = metric.counter('hits');
    const waits = metric.histogram('waits', { buckets: [1] });
    for (let user = 0; user < 200; user += 1) {
      const labels = Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, `${user}${'x'.repeat(197)}`]));
      hits.add(2, labels);
      waits.record(user % 4, labels);
    }
    const text = bridge.readCounts();
    expect(text.length).toBeLessThan(1_000);
    const labels = { overflow: 'true' };
    expect((JSON.parse(text) as MetricSnapshot[]).map(({ series }) => series)).toEqual([
      [{ labels, value: 400 }],
      [{ labels, value: 300, counts: [100, 100] }],
    ]);
  });

  it('reject invalid names, values, labels and buckets, and a name of another type', async () => {
    const { metric } = await load(bridge);
    metric.counter('jobs');
    expect(() => metric.gauge('jobs')).toThrow(TypeError);
    expect(() => metric.counter('no-name')).toThrow(TypeError);
    expect(() => metric.counter('jobs').add(-1)).toThrow(RangeError);
    expect(() => metric.gauge('g').set(Number.NaN)).toThrow(TypeError);
    expect(() => metric.histogram('h', { buckets: [2, 1] })).toThrow(TypeError);
    expect(() => metric.counter('jobs').add(1, { 'a b': 1 })).toThrow(TypeError);
  });
});
