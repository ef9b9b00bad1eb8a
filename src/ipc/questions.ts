// What a process can be asked about itself. Client, daemon and worker share this table: each kind has a check here, and an answer in
// src/worker/insight/answers.ts.
import {
  among,
  amount,
  matching,
  natural,
  orAbsent,
  record,
  type Shape,
  string,
  variant,
  whole,
  withDefault,
} from '../shared/shapes.ts';

export type Question =
  /** What its event loop waits for: the number of resources of each type. */
  | { kind: 'resources' }
  /** A CPU profile (`.cpuprofile`) of `ms` milliseconds, with a sample every `interval` microseconds. */
  | { kind: 'cpu'; ms: number; interval: number }
  /** Closes the inspector that a signal has opened, if its address is in the error log behind byte `from`. */
  | { kind: 'detach'; from: number }
  /** A heap profile (`.heapprofile`): what was allocated in `ms` milliseconds and is still in use, with a sample every `interval` bytes. */
  | { kind: 'allocations'; ms: number; interval: number }
  /** A heap snapshot (`.heapsnapshot`). Stops the process while it is taken. */
  | { kind: 'snapshot' }
  /** Collects garbage; the answer is the memory in use before and after, as `process.memoryUsage()` has it. */
  | { kind: 'gc' }
  /** The metrics that the app has defined with `nsv/app`: a list of `MetricSnapshot` (app/views.ts). */
  | { kind: 'metrics' }
  /**
   * The heap in use after full garbage collections, in as many parts as are asked for. `above`: a share of V8's limit; then one
   * part, once the heap is above it. 0 for none.
   */
  | { kind: 'collections'; above: number }
  /** Runs JavaScript in the global scope; the answer is `{ text, threw }`. Stopped after 5 s without an `await`. */
  | { kind: 'evaluate'; code: string }
  /** Whether its event loop turns. The answer has no text. */
  | { kind: 'turn' }
  /** Its stack, if it has a thread for that, although its event loop is blocked: `[function, file, line, column]` for each call. */
  | { kind: 'stack' }
  | QueueQuestion;

/**
 * About a queue that the process has opened with `nsv/queue`. The answer to the first two is a `QueueAnswer` (app/views.ts), that to the
 * others how many tasks have changed: `{ changed }`. `task`: without it, `retry` is about all failed tasks.
 */
export interface QueueQuestion {
  kind: 'queue';
  name: string;
  /** Where it is kept: one process may have two queues of a name. */
  place: string;
  act: QueueAct;
  task?: string;
}

const queueActs = ['count', 'look', 'retry', 'pause', 'resume', 'remove'] as const;
export type QueueAct = (typeof queueActs)[number];

/** A question to one process, as a client asks it. */
export interface Inspecting {
  /** The id of one process. */
  id: number;
  /** If several processes have this id for a while, as in a reload, which one. Default: the one that `list` shows. */
  pid?: number;
  /** Chosen by the client, which finds it in each `part` of this answer. */
  key: number;
  question: Question;
  /** Milliseconds that the process has to take the question up. A process whose event loop is blocked does not. */
  timeout: number;
}

/** Milliseconds. The process holds a recording in its memory. */
const longestRecording = 10 * 60_000;

/** Characters. */
const longestCode = 100_000;

const ms = whole(1, longestRecording);
const share: Shape<number> = (value, name) => {
  if (amount(value, name) <= 1) return value as number;
  throw new TypeError(`"${name}" must be a number from 0 to 1`);
};

export const parseQuestion: Shape<Question> = variant('kind', {
  resources: record({}),
  cpu: record({ ms, interval: withDefault(whole(50, 1_000_000), 1_000) }),
  detach: record({ from: natural }),
  allocations: record({ ms, interval: withDefault(whole(1_024, 1_024 ** 3), 32 * 1_024) }),
  snapshot: record({}),
  gc: record({}),
  metrics: record({}),
  collections: record({ above: share }),
  evaluate: record({ code: string(longestCode) }),
  turn: record({}),
  stack: record({}),
  queue: record({
    name: matching(/^[\w-]{1,50}$/),
    place: string(1_000),
    act: among(...queueActs),
    task: orAbsent(matching(/^[\w.@/=+-]{1,200}$/)),
  }),
});
