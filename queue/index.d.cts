// The types of `nsv/queue`, written by hand: src/queue imports them from here, and test/unit/queue/types.test.ts compares the two.

/** What JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined };

/**
 * - `pending`: waits for its turn, or for the end of its delay
 * - `running`: a process works on it
 * - `completed`: done; it goes after `keepCompleted`
 * - `failed`: given up; it stays until it is retried or removed
 */
export type TaskState = 'pending' | 'running' | 'completed' | 'failed';

/** A task, as it was when it was read. Times are in milliseconds since 1970. */
export interface Task<Data = unknown, Result = unknown> {
  readonly id: string;
  readonly state: TaskState;
  readonly data: Data;
  /** What the handler returned; undefined until then. */
  readonly result?: Result;
  /** Why the last attempt failed. */
  readonly error?: string;
  /** What the handler reported last. */
  readonly progress?: Json;
  /** How often it has begun, without those attempts that were given back at the end of a process. */
  readonly attempts: number;
  readonly addedAt: number;
  /** Of a pending task: when it may begin. */
  readonly dueAt?: number;
  /** Of a running task: since when. */
  readonly startedAt?: number;
  /** Of a running task: `host:pid` of the process that works on it. */
  readonly worker?: string;
  readonly finishedAt?: number;
}

export interface AddOptions {
  /**
   * What the task is known by: 1 to 200 characters, none of them a control character. If the queue has a task of this id, whatever its state,
   * nothing is added. Default: random.
   */
  id?: string;
  /** Milliseconds before which the task does not begin, up to a hundred years. Default: 0. */
  delay?: number;
  /** 0 to 1000: tasks with a lower number begin first, and of the same number those that were added first. Default: 0. */
  priority?: number;
}

export interface Attempt {
  /**
   * Aborted when the attempt must end: its `timeout` is over, the process ends, or another process has the task, or may have it soon because
   * the store could not be reached for 13 seconds. Hand it on to whatever the task waits for.
   */
  readonly signal: AbortSignal;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /**
   * Greater than that of each earlier attempt at a task of this queue. Whoever writes elsewhere for the task can send it along, so that an older
   * one than was seen before is refused there: a process that was stopped for a while does not know yet that another one has the task.
   */
  readonly token: number;
  /** Says how far the work is, for `get()` and `nsv queue`: up to 4 KB as JSON. Only the last value is kept. */
  progress(value: Json): void;
}

/** Does the work of one task, and returns its result. If it throws, the attempt has failed. */
export type TaskHandler<Data, Result> = (task: Task<Data, Result>, attempt: Attempt) => Result | Promise<Result>;

export interface QueueOptions {
  /** How many tasks run at the same time, in all processes on all machines together. Default: 1. */
  concurrency?: number;
  /** Within any `per` milliseconds at most `max` tasks begin, in all processes on all machines together. Default: no limit. */
  limit?: { max: number; per: number };
  /** Milliseconds for one attempt. Then its signal is aborted, and it has failed. `Infinity` for no limit. Default: 10 minutes. */
  timeout?: number;
  /**
   * What becomes of a handler that ignores its signal when its time is over. `abandon`: its place is free at once, and it may go on beside the next
   * task. `exit`: its place stays taken; if it has not ended after 5 more seconds, the process shuts down with the exit code 1, as after `shutdown()` of
   * `nsv/app`, and nsv starts another one. Default: `abandon`.
   */
  onTimeout?: 'abandon' | 'exit';
  /** How many more attempts a task has after a failed one. Default: 3. */
  retries?: number;
  /** Milliseconds before the first retry; each further wait is twice as long, up to `max`. Default: 1 s, up to 5 minutes. */
  backoff?: { delay?: number; max?: number };
  /** Milliseconds for which completed tasks are kept. Default: 1 hour. */
  keepCompleted?: number;
  /** Where the tasks are. Default: `sqliteStore()`. */
  store?: Store;
}

export interface WaitOptions {
  /** Milliseconds. Default: for as long as it takes. */
  timeout?: number;
  signal?: AbortSignal;
}

export interface QueueCounts {
  pending: number;
  running: number;
  completed: number;
  failed: number;
  /** Whether the queue is paused. */
  paused: boolean;
}

export interface Queue<Data = unknown, Result = unknown> {
  readonly name: string;
  /** Adds a task, unless there is one of its id. Resolves when the store has it. `added`: whether there was none. */
  add(data: Data, options?: AddOptions): Promise<{ id: string; added: boolean }>;
  /** Works on the tasks of this queue, in this process too, until the process ends or `close()`. One handler for each process. */
  process(handler: TaskHandler<Data, Result>): void;
  /** The task of this id, if the store has it. */
  get(id: string): Promise<Task<Data, Result> | undefined>;
  /**
   * The result of the task, when it is completed. Rejects with the code `NSV_TASK_FAILED` if it failed, `NSV_NO_TASK` if there is none of this
   * id, and `NSV_TIMEOUT`.
   */
  waitFor(id: string, options?: WaitOptions): Promise<Result>;
  /** Tasks in this state, up to `limit` (default 100): pending ones in their order, others the latest first. */
  list(state: TaskState, options?: { limit?: number }): Promise<Task<Data, Result>[]>;
  counts(): Promise<QueueCounts>;
  /** Puts a failed task back, with all its attempts, or all failed ones. Returns how many. */
  retry(id?: string): Promise<number>;
  /** No process begins another task, until `resume()`. What runs is finished. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Removes a task that does not run. Returns whether there was one. */
  remove(id: string): Promise<boolean>;
  /** Begins no more tasks in this process, waits for those that run, and closes the store. */
  close(): Promise<void>;
}

/**
 * A queue of tasks, kept in a store that outlives the processes. Each task runs at least once: more than once if a process dies with it.
 * `name`: 1 to 50 letters, digits, `_` and `-`.
 */
export declare function createQueue<Data = unknown, Result = unknown>(
  name: string,
  options?: QueueOptions,
): Queue<Data, Result>;

export interface SqliteOptions {
  /** Path of the file, from the working directory. Default: `$NSV_QUEUE_FILE`, or `queues.sqlite`. */
  file?: string;
  /**
   * `normal`: what was added survives the death of every process. `full`: a power cut too, at a quarter of the speed. Default: `normal`.
   */
  synchronous?: 'normal' | 'full';
  /**
   * The class to use, for an app whose bundler must know it: that of the package `better-sqlite3` or `libsql`, or `DatabaseSync` of `node:sqlite`. Default:
   * that of Node from 22.13 on, otherwise of the package that is installed.
   */
  database?: new (
    file: string,
  ) => object;
}

/** One file for the processes of one machine. Needs Node 22.13, or one of the packages `libsql` and `better-sqlite3`. */
export declare function sqliteStore(options?: SqliteOptions): Store;

export interface RedisOptions {
  /**
   * A URL (`redis://user:password@host:6379/0`, `rediss://` for TLS), the options of ioredis (those of Sentinel, TLS and ACL among them, and `url`), or
   * a client of ioredis, such as that of a cluster. Of a client a copy is used, with its options: it stays yours, and its `keyPrefix` does not count.
   */
  connection: string | object;
  /** Of all keys. Default: `nsv`. */
  prefix?: string;
}

/**
 * For the processes of several machines, in Redis 6.2 or later, or Valkey. Its clock is the only one that counts. Needs the package `ioredis`
 * (`npm install ioredis`), unless `connection` is a client; calls reject with `NSV_NO_REDIS` without it. They reject with `NSV_STORE`, which names the
 * address and the cause, if Redis cannot be reached for two seconds or an answer takes five, and work again when it is back.
 *
 * - A call that gets no answer rejects, and may have worked: `add` with an `id` can be repeated. A task that was claimed by such a call is taken back
 *   after 15 to 20 seconds.
 * - Redis must keep what it has: set `maxmemory-policy noeviction`, and `appendonly yes` for tasks that survive its death.
 */
export declare function redisStore(options: RedisOptions): Store;

/** For tests: in SQLite without a file, and gone when it is closed. It needs what `sqliteStore` needs. */
export declare function memoryStore(): Store;

// What follows is for a store of your own.

/** What a store needs to know of a task to add it. */
export interface NewTask {
  id: string;
  /** JSON. */
  data: string;
  delay: number;
  priority: number;
}

/** A task as a store keeps it: its values are JSON. */
export interface StoredTask extends Omit<Task, 'data' | 'result' | 'progress' | 'attempts'> {
  readonly data: string;
  readonly result?: string;
  readonly progress?: string;
  /** How many attempts have failed. */
  readonly failures: number;
  /** How many processes have died while they worked on it. */
  readonly deaths: number;
}

/** The right to finish one attempt. */
export interface Claim {
  readonly queue: string;
  readonly id: string;
  /** Greater than those of all earlier claims of the queue: who was taken for dead cannot finish what another process has claimed since. */
  readonly token: number;
}

export interface ClaimOptions {
  /** `host:pid`, for people. */
  worker: string;
  /** Of this queue in this process alone. */
  owner: string;
  concurrency: number;
  limit?: { max: number; per: number };
}

/** A running task, as other processes see it. */
export interface RunningTask {
  readonly id: string;
  readonly token: number;
  readonly owner: string;
  /** Another number after each `renew`. */
  readonly beat: number;
}

/** A claimed task, or in how many milliseconds it is worth another look; undefined: when something changes. */
export type Claimed = { claim: Claim; task: StoredTask } | { retryIn: number | undefined };

/** How an attempt has ended. */
export type Outcome =
  | { state: 'completed'; result: string | undefined }
  | { state: 'failed'; error: string }
  /** The attempt has failed, and is repeated after `delay` milliseconds. */
  | { state: 'retry'; error: string; delay: number }
  /** The process ends, or does not want the task: nothing has failed. */
  | { state: 'released' };

/**
 * Keeps tasks. Each method is atomic, and rejects if the store cannot be reached; then the queue tries again. `docs/queue.md` has an example on
 * a table of one's own, and `test/integration/queue/store.suite.ts` checks any store.
 */
export interface Store {
  /** Returns false if the queue has a task of this id: then nothing has changed. */
  add(queue: string, task: NewTask): Promise<boolean>;
  /** Claims the task whose turn it is, if the queue is not paused, fewer than `concurrency` run, and `limit` allows it. */
  claim(queue: string, options: ClaimOptions): Promise<Claimed>;
  /**
   * Changes the beat of these claims, and returns all tasks of the queue that run; a claim that is not among them is void. Rejects if nothing can be
   * written, even without claims: a process that cannot write must not take another for dead that cannot, either.
   */
  renew(queue: string, claims: readonly Claim[]): Promise<RunningTask[]>;
  /** Returns false if the claim is void: then nothing has changed. */
  finish(claim: Claim, outcome: Outcome): Promise<boolean>;
  /** `finish` and `claim` in one call, instead of both, for a store to which each call is a journey. */
  next?(claim: Claim, outcome: Outcome, options: ClaimOptions): Promise<Claimed>;
  /** Returns false if the claim is void. */
  progress(claim: Claim, value: string): Promise<boolean>;
  /**
   * Puts back those of these tasks that run with the same token and the same beat: their processes are dead. A task that has lost three processes
   * has failed. Returns how many changed.
   */
  release(queue: string, tasks: readonly RunningTask[]): Promise<number>;
  get(queue: string, id: string): Promise<StoredTask | undefined>;
  list(queue: string, state: TaskState, limit: number): Promise<StoredTask[]>;
  counts(queue: string): Promise<QueueCounts>;
  /** How many of the completed tasks it has were completed after this time. Without it `nsv queue` shows no throughput. */
  completedSince?(queue: string, at: number): Promise<number>;
  /** Makes a failed task pending, or all, with all their attempts. Returns how many. */
  retry(queue: string, id?: string): Promise<number>;
  pause(queue: string, paused: boolean): Promise<void>;
  /** Removes a task that does not run. */
  remove(queue: string, id: string): Promise<boolean>;
  /** Removes tasks that were completed more than `age` milliseconds ago. */
  removeCompleted(queue: string, age: number): Promise<void>;
  /**
   * Calls `changed` after a change by whichever process, maybe late or too often. Returns how to end that. Without it the queue looks every half a
   * second.
   */
  watch?(queue: string, changed: () => void): () => void;
  /**
   * Whatever keeps one process from the store keeps all of them, as with a file. Otherwise a process that cannot reach the store for 13 seconds gives
   * up what it works on.
   */
  readonly isLocal?: boolean;
  /** Where the tasks are, for people: a path or an address, without secrets. Stores of the same place hold the same tasks. */
  place?(): string;
  close(): Promise<void>;
}
