// What BullMQ has for one queue: a Queue, and a Worker for each way to claim.
import type { Job, Queue, RedisQueueBackend, Worker } from 'bullmq';
import type { ClaimOptions } from '../../../../queue/index.cjs';
import { mostDeaths } from '../deaths.ts';
import type { Connection } from './connection.ts';
import { limiterOf } from './limiter.ts';

/** Not those that BullMQ would use if its own worker ran: here they only tell its commands what they need. */
export type Claiming = Pick<ClaimOptions, 'lease' | 'limit'>;

/** For what a worker has to do with all jobs alike. */
const anyLease = { lease: 15_000 };

export class Handles {
  readonly queue: Queue;
  /** The tokens of calls that got no answer: each may have claimed a job. */
  readonly doubtful = new Set<string>();
  readonly #connection: Connection;
  readonly #prefix: string;
  readonly #workers = new Map<string, Worker>();

  constructor(connection: Connection, name: string, prefix: string) {
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

  /** The keys of BullMQ's own are named like those of jobs: `wait`, or `<id>:lock`. */
  async job(id: string): Promise<Job | undefined> {
    if (id.includes(':') || Object.hasOwn(this.queue.keys, id)) return undefined;
    return this.#connection.library.Job.fromId(this.worker(), id);
  }

  #options() {
    return { connection: {}, prefix: this.#prefix };
  }

  readonly #backend = (name: string, options: { connection: object }): RedisQueueBackend =>
    this.#connection.backend(name, options);
}
