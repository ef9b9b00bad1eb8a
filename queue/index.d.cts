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
   * What the task is known by: 1 to 200 letters, digits and `._@/=+-`, not digits only, and not the name of a key of BullMQ, such as `wait`. If
   * the queue has a task of this id, whatever its state, nothing is added. Default: random.
   */
  id?: string;
  /** Milliseconds before which the task does not begin. Default: 0. */
  delay?: number;
  /** 0 to 1000: tasks with a lower number begin first, and of the same number those that were added first. Default: 0. */
  priority?: number;
}

export interface Attempt {
  /**
   * Aborted when the attempt must end: its `timeout` is over, the process ends, or it has lost the task to another process. Hand it on to
   * whatever the task waits for.
   */
  readonly signal: AbortSignal;
  /** 1 for the first attempt. */
  readonly attempt: number;
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
  /** Adds a task, unless there is one of its id. Resolves when the store has it. */
  add(data: Data, options?: AddOptions): Promise<{ id: string }>;
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
}

/** One file for the processes of one machine. Needs Node 22.13, or one of the packages `libsql` and `better-sqlite3`. */
export declare function sqliteStore(options?: SqliteOptions): Store;

export interface RedisOptions {
  /**
   * What BullMQ takes: a URL (`redis://user:password@host:6379/0`, `rediss://` for TLS), the options of ioredis (those of Sentinel, TLS and ACL
   * among them), or a client of ioredis or node-redis. A cluster is a client, and wants a `prefix` in braces, such as `{bull}`. A client of yours
   * stays open when the store is closed. It must not have a `keyPrefix`.
   */
  connection: string | object;
  /** Of all keys. Default: `bull`, as BullMQ has it, so that its tools find the queues. */
  prefix?: string;
}

/**
 * For the processes of several machines: by BullMQ, in Redis 6.2 or later, or Valkey. Needs the packages `bullmq` and `ioredis` (`npm install
 * bullmq ioredis`); calls reject with `NSV_NO_REDIS` without them. They reject with `NSV_STORE`, which names the address and the cause, if Redis
 * cannot be reached for two seconds or an answer takes five, and work again when it is back.
 *
 * What is different from the other stores, because BullMQ works so:
 *
 * - A `limit` is spread over time. With a `max` below 20 one task begins every `per / max` milliseconds. From 20 on, a tenth of `max` may begin at
 *   once. It is never more than `max` within any `per` milliseconds, and up to a fifth less.
 * - A task that is repeated is the last of its priority, and one whose process has died is the next of all.
 * - A claim is void as soon as its process was silent for 15 seconds, even if no other process wants the task.
 * - A call that gets no answer rejects, and may have worked: `add` with an `id` can be repeated.
 * - A result of `null` becomes `undefined`, and a progress of 0 none.
 * - Redis must keep what it has: set `maxmemory-policy noeviction`, and `appendonly yes` for tasks that survive its death.
 */
export declare function redisStore(options: RedisOptions): Store;

/** For tests: in this process, and gone with it. */
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
  /** Of this attempt alone: who was taken for dead cannot finish what another process has claimed since. */
  readonly token: string;
}

export interface ClaimOptions {
  /** `host:pid`, for people. */
  worker: string;
  /** Of this process alone, for `release`. */
  owner: string;
  /** Milliseconds after which the claim is void, unless it is renewed. */
  lease: number;
  concurrency: number;
  limit?: { max: number; per: number };
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
  /** Does nothing if the queue has a task of this id. */
  add(queue: string, task: NewTask): Promise<void>;
  /** Claims the task whose turn it is, if the queue is not paused, fewer than `concurrency` run, and `limit` allows it. */
  claim(queue: string, options: ClaimOptions): Promise<Claimed>;
  /** Holds on to a claim for another `lease` milliseconds. Returns false if it is void. */
  renew(claim: Claim, lease: number): Promise<boolean>;
  /** Returns false if the claim is void: then nothing has changed. */
  finish(claim: Claim, outcome: Outcome): Promise<boolean>;
  /** Returns false if the claim is void. */
  progress(claim: Claim, value: string): Promise<boolean>;
  /**
   * Puts back the tasks whose lease is over, and those of `owner`, which is dead. A task that has lost three processes has failed. Returns how many
   * changed.
   */
  release(queue: string, owner?: string): Promise<number>;
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
  /** Where the tasks are, for people: a path or an address, without secrets. Stores of the same place hold the same tasks. */
  place?(): string;
  close(): Promise<void>;
}
