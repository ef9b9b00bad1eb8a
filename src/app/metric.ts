// Numbers of the app. They stay here until somebody looks: then the worker reads them (`bridge.offerMetrics`), and the client merges
// those of all instances (src/client/metrics.ts).
import type {
  Counter,
  Gauge,
  GaugeOptions,
  Histogram,
  HistogramOptions,
  MetricLabels,
  MetricOptions,
  Metrics,
} from '../../app/index.cjs';
import type { MetricSnapshot, SeriesSnapshot } from '../ipc/app/views.ts';
import { longestCounts } from '../ipc/worker-messages.ts';
import { bridge, declareCapabilities } from './bridge.ts';
import { shared } from './shared.ts';

const mostMetrics = 100;
const mostSeries = 200;
const mostLabels = 10;
const mostBuckets = 50;
/** Characters of a label's value. */
const longestLabel = 200;

const usualBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const overflow: MetricLabels = { overflow: true };

interface Entry {
  about: Omit<MetricSnapshot, 'series'>;
  series: Map<string, SeriesSnapshot>;
}

export const metric: Metrics = {
  counter(name, options): Counter {
    const entry = entryOf({ ...aboutOf(name, options), type: 'counter' });
    return {
      add(value = 1, labels = {}) {
        if (finite(value) < 0) throw new RangeError(`the counter "${name}" cannot fall by ${-value}`);
        seriesOf(entry, labels).value += value;
      },
    };
  },
  gauge(name, options: GaugeOptions = {}): Gauge {
    const entry = entryOf({ ...aboutOf(name, options), type: 'gauge', merge: options.merge ?? 'sum' });
    return {
      set(value, labels = {}) {
        seriesOf(entry, labels).value = finite(value);
      },
      add(value, labels = {}) {
        seriesOf(entry, labels).value += finite(value);
      },
    };
  },
  histogram(name, options: HistogramOptions = {}): Histogram {
    const bounds = boundsOf(options.buckets ?? usualBuckets);
    const entry = entryOf({ ...aboutOf(name, options), type: 'histogram', bounds });
    return {
      record(value, labels = {}) {
        const series = seriesOf(entry, labels);
        series.value += finite(value);
        series.counts ??= new Array<number>(bounds.length + 1).fill(0);
        const bucket = bounds.findIndex((bound) => value <= bound);
        series.counts[bucket === -1 ? bounds.length : bucket]! += 1;
      },
    };
  },
};

/** What the worker reads, as plain data. */
export function readMetrics(): MetricSnapshot[] {
  return [...entries().values()].map(({ about, series }) => ({ ...about, series: [...series.values()] }));
}

/** Counters and histograms as JSON, for the end of the process. What is too long loses its labels, but not its sums. */
function readCounts(): string {
  const counts = readMetrics().filter(({ type }) => type !== 'gauge');
  const text = JSON.stringify(counts);
  if (text.length <= longestCounts) return text;
  const totals = counts.map(({ series, ...about }) => ({ ...about, help: '', series: [totalOf(series)] }));
  const shorter = JSON.stringify(totals);
  return shorter.length <= longestCounts ? shorter : '[]';
}

function totalOf(series: readonly SeriesSnapshot[]): SeriesSnapshot {
  const total: SeriesSnapshot = { labels: textsOf(overflow), value: 0 };
  for (const { value, counts } of series) {
    total.value += value;
    if (counts) total.counts = counts.map((count, at) => count + (total.counts?.[at] ?? 0));
  }
  return total;
}

function entries(): Map<string, Entry> {
  return shared('metrics', () => {
    bridge()?.offerMetrics(readMetrics, readCounts);
    declareCapabilities({ metrics: true });
    return new Map<string, Entry>();
  });
}

/** Throws a TypeError if the name means another metric already. */
function entryOf(about: Entry['about']): Entry {
  const all = entries();
  const known = all.get(about.name);
  const identity = ({ type, bounds }: Entry['about']) => JSON.stringify([type, bounds]);
  if (known && identity(known.about) !== identity(about))
    throw new TypeError(`there is another metric "${about.name}", of type ${known.about.type} or with other buckets`);
  if (known) return known;
  if (all.size >= mostMetrics)
    throw new RangeError(`a process can have ${mostMetrics} metrics: "${about.name}" is one too many`);
  const entry: Entry = { about, series: new Map() };
  all.set(about.name, entry);
  return entry;
}

function aboutOf(
  name: string,
  { help = '', unit = '' }: MetricOptions = {},
): { name: string; help: string; unit: string } {
  if (!/^[a-zA-Z_][a-zA-Z0-9_]{0,199}$/.test(name))
    throw new TypeError(`${JSON.stringify(name)} is not a name for a metric: use letters, digits and underscores`);
  return { name, help: String(help), unit: String(unit) };
}

function boundsOf(buckets: readonly number[]): number[] {
  const isAscending = buckets.every((bound, at) => at === 0 || bound > buckets[at - 1]!);
  if (buckets.length > 0 && buckets.length <= mostBuckets && buckets.every(Number.isFinite) && isAscending)
    return [...buckets];
  throw new TypeError(`buckets must be 1 to ${mostBuckets} ascending numbers`);
}

/** Labels that are too many count together, so that a label that takes any value, such as an address, fills no memory. */
function seriesOf(entry: Entry, labels: MetricLabels): SeriesSnapshot {
  const { series } = entry;
  const key = JSON.stringify(Object.entries(textsOf(labels)).sort());
  const known = series.get(key);
  if (known) return known;
  if (series.size >= mostSeries && labels !== overflow) return seriesOf(entry, overflow);
  const created: SeriesSnapshot = { labels: textsOf(labels), value: 0 };
  series.set(key, created);
  return created;
}

function textsOf(labels: MetricLabels): Record<string, string> {
  const entries = Object.entries(labels);
  if (entries.length > mostLabels)
    throw new RangeError(`a metric can have ${mostLabels} labels, not ${entries.length}`);
  for (const [name] of entries)
    if (!/^[a-zA-Z_][a-zA-Z0-9_]{0,99}$/.test(name))
      throw new TypeError(`${JSON.stringify(name)} is not a name for a label`);
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value).slice(0, longestLabel)]));
}

function finite(value: number): number {
  if (Number.isFinite(value)) return value;
  throw new TypeError(`${String(value)} is not a finite number`);
}
