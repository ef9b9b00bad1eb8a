// Views of what processes offer through `nsv/app` and `nsv/queue`: runtime settings, metrics and queues.

/** Runtime settings by key. Every value is what JSON can hold. */
export type RuntimeValues = Readonly<Record<string, unknown>>;

/** Where the runtime settings of an app come from, and who has them. */
export interface RuntimeSettingsView {
  name: string;
  /** Counts the changes; 0 if there was none. */
  version: number;
  /** Values that look like secrets are masked, unless the caller asks for them. */
  values: RuntimeValues;
  /** The file that is watched for changes; null if there is none. */
  file: string | null;
  /** Why the content of the file is not in force; null if it is. */
  problem: string | null;
  /** The running processes. */
  processes: RuntimeHolder[];
}

export interface RuntimeHolder {
  id: number;
  /** Number of the instance within its app, from 0. */
  slot: number;
  pid: number;
  /** The version that the process has last confirmed; null if none. */
  version: number | null;
}

/** What a change does, all of it or nothing. With a `file`, the values are those of the file; null keeps the values. */
export interface RuntimeChange {
  set?: RuntimeValues;
  unset?: readonly string[];
  file?: string | null;
}

/**
 * A metric of a process, or of an app, merged from its processes. Prometheus can show all of it: a counter as `<name>_total`, and a
 * histogram with cumulated buckets.
 */
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

/** A queue, as the daemon knows it. */
export interface OpenedQueueView {
  name: string;
  /** Where its tasks are, as its store says. Two queues of one name that are kept in different places are different queues. */
  place: string;
  /** The running processes that have opened it. */
  processes: QueueMemberView[];
}

export interface QueueMemberView {
  app: string;
  id: number;
  /** Number of the instance within its app, from 0. */
  slot: number;
  pid: number;
  /** Whether it works on the tasks, and does not only add some. */
  works: boolean;
}

/** A queue with what one of its processes tells. */
export interface QueueView extends OpenedQueueView {
  /** Null if no process has told. */
  counts: QueueCountsView | null;
  /** How many tasks were completed in the last minute; null if the store does not say. */
  perMinute: number | null;
  /** Why there are no counts. */
  problem?: string;
}

export interface QueueCountsView {
  pending: number;
  running: number;
  completed: number;
  failed: number;
  paused: boolean;
}

/** A queue with some of its tasks: those that run and those that have failed, the last ones first, and the next ones. */
export interface QueueDetailsView extends QueueView {
  running: QueueTaskView[];
  failed: QueueTaskView[];
  pending: QueueTaskView[];
}

/** A task without its data and its result. Texts are cut off after 200 characters. Times are in milliseconds since 1970. */
export interface QueueTaskView {
  id: string;
  attempts: number;
  /** Of a pending task: when it may begin. */
  dueAt?: number;
  /** Of a running task. */
  startedAt?: number;
  finishedAt?: number;
  /** `host:pid` of the process that works on it. */
  worker?: string;
  /** That process, if it belongs to an app of this daemon. */
  process?: { app: string; slot: number };
  /** JSON: what its handler has reported last. */
  progress?: string;
  /** The first line of its last error. */
  error?: string;
}
