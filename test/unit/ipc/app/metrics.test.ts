import { describe, expect, it } from 'vitest';
import { countsOf, mergeMetrics, parseMetrics } from '../../../../src/ipc/app/metrics.ts';
import type { MetricSnapshot } from '../../../../src/ipc/app/views.ts';
import { longestCounts } from '../../../../src/ipc/worker-messages.ts';

const about = { help: '', unit: '' };

describe('the metrics of several instances', () => {
  it('have counters summed by labels', () => {
    const jobs = (a: number, b?: number): MetricSnapshot => ({
      ...about,
      name: 'jobs',
      type: 'counter',
      series: [
        { labels: { s: 'a' }, value: a },
        ...(b === undefined ? [] : [{ labels: { s: 'b', t: '1' }, value: b }]),
      ],
    });
    const [merged] = mergeMetrics([jobs(1, 10), jobs(2), jobs(3, 30)]);
    expect(merged?.series).toEqual([
      { labels: { s: 'a' }, value: 6 },
      { labels: { s: 'b', t: '1' }, value: 40 },
    ]);
  });

  it.each([
    ['sum', 5],
    ['max', 3],
    ['min', 2],
  ] as const)('have gauges merged by %s', (merge, value) => {
    const gauge = (value: number): MetricSnapshot => ({
      ...about,
      name: 'depth',
      type: 'gauge',
      merge,
      series: [{ labels: {}, value }],
    });
    expect(mergeMetrics([gauge(2), gauge(3)])[0]?.series).toEqual([{ labels: {}, value }]);
  });

  it('have histograms summed bucket by bucket if the buckets are the same', () => {
    const waits = (bounds: number[], counts: number[]): MetricSnapshot => ({
      ...about,
      name: 'wait',
      type: 'histogram',
      bounds,
      series: [{ labels: {}, value: 1, counts }],
    });
    const merged = mergeMetrics([waits([1, 5], [1, 2, 3]), waits([1, 5], [1, 0, 1]), waits([9], [7, 7])]);
    expect(merged.map(({ bounds, series }) => [bounds, series[0]])).toEqual([
      [[1, 5], { labels: {}, value: 2, counts: [2, 2, 4] }],
      [[9], { labels: {}, value: 1, counts: [7, 7] }],
    ]);
  });

  it.each([
    [undefined, 0],
    ['x', 0],
    [[null, { name: 1 }, { name: 'a', type: 'x' }, { name: 'a', type: 'histogram', bounds: ['1'] }], 0],
    [[{ name: 'a', type: 'histogram', bounds: '1' }], 0],
    [[{ name: 'a', type: 'gauge', series: [{ value: '1' }, { value: 1, counts: 'x' }, { value: 1 }, null] }], 1],
    [[{ name: 'a', type: 'gauge', help: { toString: 1 }, series: [{ labels: { a: { toString: 1 } }, value: 1 }] }], 1],
    [
      [
        {
          name: 'a',
          type: 'histogram',
          series: [
            { value: 1, counts: [0.5] },
            { value: 1, counts: [1] },
          ],
        },
      ],
      1,
    ],
  ])('are accepted only as far as they are valid: %#', (input, count) => {
    const metrics = parseMetrics(input);
    expect([metrics.length, metrics.flatMap(({ series }) => series).length]).toEqual([count, count === 1 ? 1 : 0]);
  });
});

describe('the metrics that are kept of a process that ends', () => {
  const counter = (name: string, values: number, label = 'x'): MetricSnapshot => ({
    ...about,
    name,
    type: 'counter',
    series: Array.from({ length: values }, (_, at) => ({ labels: { label: label + at }, value: 1 })),
  });

  it('are its counters and histograms, but not its gauges', () => {
    const series = [{ labels: {}, value: 1 }];
    const histogram: MetricSnapshot = { ...about, name: 'h', type: 'histogram', bounds: [1], series };
    const gauge: MetricSnapshot = { ...about, name: 'g', type: 'gauge', merge: 'sum', series };
    expect(countsOf([counter('c', 2), gauge, histogram])).toEqual([counter('c', 2), histogram]);
  });

  it('are bounded: series that are too long lose their labels, but not their sum', () => {
    const long = 'x'.repeat(longestCounts / 100);
    const overflow = { labels: { overflow: 'true' }, value: 100 };
    const counts = countsOf([counter('a', 100, long), counter('b', 100, long)]);
    expect(counts.map(({ name, series }) => [name, series])).toEqual([
      ['a', [overflow]],
      ['b', [overflow]],
    ]);
    const many = Array.from({ length: 1_000 }, (_, at) => counter(`c${at}${'x'.repeat(199)}`, 1));
    const kept = countsOf(many);
    expect(kept.length).toBeGreaterThan(150);
    expect(JSON.stringify(kept).length).toBeLessThanOrEqual(longestCounts);
  });
});
