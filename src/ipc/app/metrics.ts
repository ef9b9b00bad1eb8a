// Merges the metrics of processes, and keeps what must outlive them. Pure.
import { longestCounts } from '../worker-messages.ts';
import type { MetricSnapshot, SeriesSnapshot } from './views.ts';

/**
 * Counters and histograms, which must not fall when a process ends; a gauge says how things are, and ends with it. If they are too long,
 * they lose their labels, but not their sums.
 */
export function countsOf(metrics: readonly MetricSnapshot[]): MetricSnapshot[] {
  const counts = mergeMetrics(metrics.filter(({ type }) => type !== 'gauge'));
  if (JSON.stringify(counts).length <= longestCounts) return counts;
  let room = longestCounts - '[]'.length;
  return mergeMetrics(counts.map(withoutLabels)).filter((metric) => {
    room -= JSON.stringify(metric).length + ','.length;
    return room >= 0;
  });
}

function withoutLabels(metric: MetricSnapshot): MetricSnapshot {
  return { ...metric, series: metric.series.map((series) => ({ ...series, labels: { overflow: 'true' } })) };
}

/** Merges what has the same name and type, and for a histogram the same buckets, by labels. Pure. */
export function mergeMetrics(snapshots: readonly MetricSnapshot[]): MetricSnapshot[] {
  const merged = new Map<string, { about: Omit<MetricSnapshot, 'series'>; series: Map<string, SeriesSnapshot> }>();
  for (const { series, ...about } of snapshots) {
    const key = JSON.stringify([about.name, about.type, about.bounds]);
    const entry = merged.get(key) ?? { about, series: new Map<string, SeriesSnapshot>() };
    merged.set(key, entry);
    for (const one of series) {
      const labels = JSON.stringify(Object.entries(one.labels).sort());
      const known = entry.series.get(labels);
      entry.series.set(labels, known ? together(known, one, entry.about.merge) : one);
    }
  }
  return [...merged.values()].map(({ about, series }) => ({ ...about, series: [...series.values()] }));
}

function together(one: SeriesSnapshot, other: SeriesSnapshot, rule: MetricSnapshot['merge'] = 'sum'): SeriesSnapshot {
  const values = [one.value, other.value] as const;
  const value = rule === 'sum' ? values[0] + values[1] : Math[rule](...values);
  const { labels, counts } = one;
  return { labels, value, ...(counts && { counts: counts.map((count, at) => count + (other.counts?.[at] ?? 0)) }) };
}

/** A process runs code of the user: what does not look like metrics is left out. */
export function parseMetrics(input: unknown): MetricSnapshot[] {
  return listOf(input).flatMap((item) => {
    const { name, type, help, unit, merge, bounds, series } = Object(item) as Record<string, unknown>;
    if (typeof name !== 'string' || !oneOf(['counter', 'gauge', 'histogram'] as const, type)) return [];
    if (bounds !== undefined && !isListOf(isNumber, bounds)) return [];
    return {
      name,
      type,
      help: textOf(help),
      unit: textOf(unit),
      ...(oneOf(['sum', 'max', 'min'] as const, merge) && { merge }),
      ...(bounds !== undefined && { bounds }),
      series: listOf(series).flatMap(parseSeries),
    };
  });
}

function parseSeries(input: unknown): SeriesSnapshot[] {
  const { labels, value, counts } = Object(input) as Record<string, unknown>;
  if (!isNumber(value) || (counts !== undefined && !isListOf(isCount, counts))) return [];
  const texts = Object.entries(Object(labels) as object).map(([key, label]) => [key, textOf(label)]);
  return [{ labels: Object.fromEntries(texts), value, ...(counts !== undefined && { counts }) }];
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function isListOf<T>(isOne: (item: unknown) => item is T, value: unknown): value is T[] {
  return Array.isArray(value) && value.every(isOne);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function oneOf<T extends string>(known: readonly T[], value: unknown): value is T {
  return known.some((one) => one === value);
}
