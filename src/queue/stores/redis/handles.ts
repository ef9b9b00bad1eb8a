// What BullMQ has for one queue: a Queue, and a Worker for each way to claim.
import type { IRedisClient, Job, Queue, RedisQueueBackend, Worker } from 'bullmq';
import type { ClaimOptions, TaskState } from '../../../../queue/index.cjs';
import { now } from '../../../app/clock.ts';
import { mostDeaths } from '../../errors.ts';
import type { RedisStoreConnection } from './connection.ts';
import { taskStateOf } from './job.ts';

/** Not those that BullMQ would use if its own worker ran: here they only tell its commands what they need. */
export type Claiming = Pick<ClaimOptions, 'lease' | 'limit'>;

/** Milliseconds after which Redis is told the concurrency again: another process may have told it another one. */
const concurrencyHolds = 1_000;

/** For what a worker has to do with all jobs alike. */
const anyLease = { lease: 15_000 };

export class Handles {
  readonly queue: Queue;
  /** The tokens of calls that got no answer: each may have claimed a job. */
  readonly doubtful = new Set<string>();
  readonly #connection: RedisStoreConnection;
  readonly #prefix: string;
  readonly #workers = new Map<string, Worker>();
  #reported = { concurrency: 0, at: Number.NEGATIVE_INFINITY };

  constructor(connection: RedisStoreConnection, name: string, prefix: string) {
    this.#connection = connection;
    this.#prefix = prefix;
    this.queue = new connection.library.Queue(name, this.#options(), this.#backend);
  }

  /** Its main loop never begins, because it has no processor: https://docs.bullmq.io/patterns/manually-fetching-jobs */
  worker({ lease, limit }: Claiming = anyLease): Worker {
    const key = JSON.stringify([lease, limit]);
    const known = this.#workers.get(key);
    if (known) return known;
    const options = {
      ...this.#options(),
      lockDuration: lease,
      ...(limit && { limiter: limiterOf(limit) }),
      maxStalledCount: mostDeaths - 1,
      // Each look at stalled jobs is meant.
      stalledInterval: 1,
    };
    const worker = new this.#connection.library.Worker(this.queue.name, null, options, this.#backend);
    this.#workers.set(key, worker);
    return worker;
  }

  /** Whether Redis knows the concurrency. If not, it is said to be told it now. */
  knows(concurrency: number): boolean {
    if (this.#reported.concurrency === concurrency && now() < this.#reported.at + concurrencyHolds) return true;
    this.#reported = { concurrency, at: now() };
    return false;
  }

  /** Redis may have lost it. */
  forgetConcurrency(): void {
    this.#reported.at = Number.NEGATIVE_INFINITY;
  }

  /**
   * A job and its state. Both are asked for in one go, and the job later: what has ended meanwhile has ended. `getState` of BullMQ would go
   * through the list of those that wait.
   */
  async find(id: string): Promise<{ job: Job; state: TaskState } | undefined> {
    // The keys of BullMQ's own are named like those of jobs: `wait`, or `<id>:lock`.
    if (id.includes(':') || Object.hasOwn(this.queue.keys, id)) return undefined;
    const backend = this.queue.getBackend();
    const [isActive, data] = await Promise.all([backend.isJobInState('active', id), backend.getJobData(id)]);
    if (!data) return undefined;
    const job = this.#connection.library.Job.fromJSON(this.worker(), data, id);
    return { job, state: taskStateOf(data, isActive) };
  }

  #options() {
    return { connection: {}, prefix: this.#prefix };
  }

  readonly #backend = (name: string, options: { connection: object }): RedisQueueBackend =>
    this.#connection.backend(name, options);
}

/**
 * BullMQ counts in windows: the first task begins one of `duration` milliseconds, within which `max` may begin. One window of `per` with
 * all of `max` would not do: twice as many could begin around the end of it. So there are more and smaller ones, never nearer to each other
 * than `duration`, and any span of `per` touches at most one more than fit into it. Where each has one task only, it is that task's
 * beginning, and no span touches more than fit.
 */
export function limiterOf({ max, per }: { max: number; per: number }): { max: number; duration: number } {
  const inEach = Math.max(1, Math.floor(max / 10));
  const windows = inEach === 1 ? max : Math.floor(max / inEach) - 1;
  return { max: inEach, duration: Math.ceil(per / windows) };
}

const countCommand = 'nsvCountAfter';
/** Clients differ in how they say ZCOUNT, and agree on scripts. */
const countScript = { numberOfKeys: 1, lua: `return redis.call('ZCOUNT', KEYS[1], ARGV[1], '+inf')` };
const counting = new WeakSet<IRedisClient>();

/** How many members of a sorted set have a higher score. BullMQ's set of completed jobs has the time as the score. */
export async function countAfter(client: IRedisClient, key: string, score: number): Promise<number> {
  if (!counting.has(client)) client.defineCommand(countCommand, countScript);
  counting.add(client);
  return client.runCommand(countCommand, [key, `(${score}`]);
}
