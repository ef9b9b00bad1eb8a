// Keeps tasks in Redis, by BullMQ: in its format, and by its commands, each of which is atomic. So BullMQ's tools see them.
import { randomUUID } from 'node:crypto';
import type { IRedisClient, Job } from 'bullmq';
import type {
  Claim,
  Claimed,
  ClaimOptions,
  NewTask,
  Outcome,
  QueueCounts,
  RedisOptions,
  Store,
  StoredTask,
  TaskState,
} from '../../../../queue/index.cjs';
import { wall } from '../../../app/clock.ts';
import { diedError } from '../../errors.ts';
import { type Library, RedisStoreConnection } from './connection.ts';
import { countAfter, Handles } from './handles.ts';
import { delayOf, taskOfJob } from './job.ts';
import { giveBack, holderOf, ignoreVoid, newToken, release, withoutStack } from './release.ts';
import { watchQueue } from './watcher.ts';

/** What BullMQ has by default, so that its tools look there. */
const usualPrefix = 'bull';
/** BullMQ wants a name for each job. */
const jobName = 'task';

export function redisStore({ connection, prefix = usualPrefix }: RedisOptions): Store {
  const isGiven = typeof connection === 'string' ? connection !== '' : typeof connection === 'object' && connection;
  if (!isGiven) throw new TypeError(`"connection" must be a URL, options or a client, not ${String(connection)}`);
  if (typeof prefix !== 'string' || prefix === '')
    throw new TypeError(`"prefix" must be a text, not ${JSON.stringify(prefix)}`);
  return new RedisStore(connection, prefix);
}

/** What a call works with. */
interface Parts {
  client: IRedisClient;
  library: Library;
  handles: Handles;
}

class RedisStore implements Store {
  readonly #connection: RedisStoreConnection;
  readonly #prefix: string;
  readonly #handles = new Map<string, Handles>();
  readonly #watchers = new Set<() => void>();
  /** The jobs that are claimed here, by token. */
  readonly #claimed = new Map<string, Job>();

  constructor(connection: string | object, prefix: string) {
    this.#connection = new RedisStoreConnection(connection, prefix);
    this.#prefix = prefix;
  }

  add(queue: string, { id, data, delay, priority }: NewTask): Promise<void> {
    return this.#use(queue, async ({ handles }) => {
      await handles.queue.add(jobName, JSON.parse(data), { jobId: id, delay, priority });
    });
  }

  claim(queue: string, options: ClaimOptions): Promise<Claimed> {
    return this.#use(queue, async (parts) => {
      const { client, handles } = parts;
      const doubtful = [...handles.doubtful];
      if (doubtful.length > 0) await giveBack(client, handles, doubtful);
      for (const token of doubtful) handles.doubtful.delete(token);
      for (;;) {
        const token = newToken(options.owner, randomUUID());
        const { job, retryIn } = await moveToActive(parts, token, options).catch((error) => {
          handles.doubtful.add(token);
          handles.forgetConcurrency();
          throw error;
        });
        if (!job) return { retryIn };
        if (!job.deferredFailure) {
          this.#claimed.set(token, job);
          return { claim: { queue, id: job.id ?? '', token }, task: taskOfJob(job, 'running') };
        }
        await isMoved(parts, job, token, { state: 'failed', error: diedError });
      }
    });
  }

  renew({ queue, id, token }: Claim, lease: number): Promise<boolean> {
    return this.#use(queue, async ({ handles }) => {
      return (await handles.queue.getBackend().extendLock(id, token, lease)) === 1;
    });
  }

  finish(claim: Claim, outcome: Outcome): Promise<boolean> {
    const { queue, id, token } = claim;
    return this.#use(queue, async (parts) => {
      const job = this.#claimed.get(token) ?? (await parts.handles.find(id))?.job;
      const isHeld = job !== undefined && (await isMoved(parts, job, token, outcome));
      this.#claimed.delete(token);
      return isHeld;
    });
  }

  progress({ queue, id, token }: Claim, value: string): Promise<boolean> {
    return this.#use(queue, async ({ client, handles }) => {
      if ((await holderOf(client, handles, id)) !== token) return false;
      await handles.queue.updateJobProgress(id, JSON.parse(value));
      return true;
    });
  }

  release(queue: string, owner?: string): Promise<number> {
    return this.#use(queue, ({ client, library, handles }) => release(client, library, handles, owner));
  }

  get(queue: string, id: string): Promise<StoredTask | undefined> {
    return this.#use(queue, async ({ handles }) => {
      const found = await handles.find(id);
      return found && taskOfJob(found.job, found.state);
    });
  }

  list(queue: string, state: TaskState, limit: number): Promise<StoredTask[]> {
    return this.#use(queue, async ({ handles }) => {
      const isPending = state === 'pending';
      const states = {
        pending: ['waiting', 'prioritized', 'delayed'] as const,
        running: ['active'] as const,
        completed: ['completed'] as const,
        failed: ['failed'] as const,
      }[state];
      const jobs = await handles.queue.getJobs([...states], 0, limit - 1, isPending);
      return jobs.slice(0, limit).map((job) => taskOfJob(job, state));
    });
  }

  counts(queue: string): Promise<QueueCounts> {
    return this.#use(queue, async ({ handles }) => {
      const [counts, paused] = await Promise.all([handles.queue.getJobCounts(), handles.queue.isPaused()]);
      const sum = (...states: string[]) => states.reduce((total, state) => total + (counts[state] ?? 0), 0);
      return {
        pending: sum('waiting', 'prioritized', 'delayed'),
        running: sum('active'),
        completed: sum('completed'),
        failed: sum('failed'),
        paused,
      };
    });
  }

  completedSince(queue: string, at: number): Promise<number> {
    return this.#use(queue, ({ client, handles }) => countAfter(client, handles.queue.toKey('completed'), at));
  }

  retry(queue: string, id?: string): Promise<number> {
    return this.#use(queue, async ({ client, handles }) => {
      if (id !== undefined) {
        const found = await handles.find(id);
        return found?.state === 'failed' && (await isRetried(client, handles, found.job)) ? 1 : 0;
      }
      // Those that fail again meanwhile are not meant.
      const until = wall();
      for (let count = 0; ; ) {
        const jobs = await handles.queue.getJobs(['failed'], 0, 99, true);
        const old = jobs.filter(({ finishedOn = 0 }) => finishedOn <= until);
        if (old.length === 0) return count;
        for (const job of old) if (await isRetried(client, handles, job)) count += 1;
      }
    });
  }

  pause(queue: string, paused: boolean): Promise<void> {
    return this.#use(queue, ({ handles }) => (paused ? handles.queue.pause() : handles.queue.resume()));
  }

  remove(queue: string, id: string): Promise<boolean> {
    return this.#use(queue, async ({ handles }) => {
      const found = await handles.find(id);
      return found !== undefined && found.state !== 'running' && (await handles.queue.remove(id)) === 1;
    });
  }

  removeCompleted(queue: string, age: number): Promise<void> {
    return this.#use(queue, async ({ handles }) => {
      // Little by little: Redis does one thing at a time.
      const most = 1_000;
      while ((await handles.queue.clean(age, most, 'completed')).length === most);
    });
  }

  watch(queue: string, changed: () => void): () => void {
    const end = watchQueue(this.#connection, queue, changed);
    this.#watchers.add(end);
    return () => {
      this.#watchers.delete(end);
      end();
    };
  }

  place(): string {
    const { address } = this.#connection;
    return this.#prefix === usualPrefix ? address : `${address}, ${this.#prefix}`;
  }

  async close(): Promise<void> {
    for (const end of this.#watchers) end();
    this.#watchers.clear();
    this.#handles.clear();
    this.#claimed.clear();
    await this.#connection.close();
  }

  #use<T>(queue: string, job: (parts: Parts) => Promise<T>): Promise<T> {
    return this.#connection.use((client, library) => {
      const handles = this.#handles.get(queue) ?? new Handles(this.#connection, queue, this.#prefix);
      this.#handles.set(queue, handles);
      return job({ client, library, handles });
    });
  }
}

/** A job, or in how many milliseconds another look is worth it. */
async function moveToActive(
  { handles, library }: Parts,
  token: string,
  { worker, lease, concurrency, limit }: ClaimOptions,
): Promise<{ job?: Job; retryIn: number | undefined }> {
  const claiming = handles.worker({ lease, ...(limit && { limit }) });
  // In this order, in one go.
  const [, [data, id, limitedFor, dueAt]] = await Promise.all([
    handles.knows(concurrency) || handles.queue.setGlobalConcurrency(concurrency),
    // `worker.getNextJob()` does this too, and keeps to itself when the next look is worth it.
    claiming.getBackend().moveToActive(token, worker),
  ]);
  if (data) return { job: library.Job.fromJSON(claiming, data, id), retryIn: undefined };
  // Somebody may have emptied Redis.
  handles.forgetConcurrency();
  // The first of the delayed jobs is worth no look before the limit allows it.
  if (limitedFor > 0) return { retryIn: limitedFor + 1 };
  return { retryIn: dueAt > 0 ? Math.max(1, Math.ceil(dueAt - wall())) : undefined };
}

/** Ends the attempt. False if the claim is void. */
async function isMoved({ library, handles }: Parts, job: Job, token: string, outcome: Outcome): Promise<boolean> {
  try {
    switch (outcome.state) {
      case 'completed':
        await job.moveToCompleted(outcome.result === undefined ? undefined : JSON.parse(outcome.result), token, false);
        return true;
      case 'failed':
        await job.moveToFailed(withoutStack(new library.UnrecoverableError(outcome.error)), token);
        return true;
      case 'retry': {
        const { from, delay } = delayOf(job, wall() + outcome.delay);
        const fieldsToUpdate = { failedReason: outcome.error };
        await handles.queue.getBackend().moveToDelayed(job.id ?? '', from, delay, token, { fieldsToUpdate });
        return true;
      }
      case 'released':
        await job.moveToWait(token);
        return true;
    }
  } catch (error) {
    ignoreVoid(error);
    return false;
  }
}

/** False if it has not failed any more. */
async function isRetried(client: IRedisClient, { queue }: Handles, job: Job): Promise<boolean> {
  try {
    // BullMQ begins to count attempts anew if it is asked to, but has no option for the processes that a job has lost.
    await client.hdel(queue.toKey(job.id ?? ''), 'stc');
    await job.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true });
    return true;
  } catch (error) {
    ignoreVoid(error);
    return false;
  }
}
