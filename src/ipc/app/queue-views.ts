// Views of the queues that processes have opened with `nsv/queue`.

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
