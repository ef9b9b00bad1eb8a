// The metrics of an app as its processes tell them, and as they are merged. Prometheus can show all of it: a counter as `<name>_total`,
// and a histogram with cumulated buckets.

/** A metric of a process, or of an app. */
export interface MetricSnapshot {
  name: string;
  type: 'counter' | 'gauge' | 'histogram';
  help: string;
  /** `seconds`, `bytes` and the like; empty if there is none. */
  unit: string;
  /** How the values of a gauge become one for all instances. */
  merge?: 'sum' | 'max' | 'min';
  /** The upper bounds of the buckets of a histogram; a last bucket has no bound. */
  bounds?: number[];
  series: SeriesSnapshot[];
}

/** The values for one combination of labels. */
export interface SeriesSnapshot {
  labels: Record<string, string>;
  /** Of a histogram: the sum of all values. */
  value: number;
  /** How many values fell into each bucket of a histogram, not cumulated. */
  counts?: number[];
}
