// Works on the tasks of one queue in this process: claims what it may, runs the handler, and says how it has ended.
import { setImmediate } from 'node:timers/promises';
import type { Claimed, ClaimOptions, Store, TaskHandler } from '../../queue/index.cjs';
import { now, wait } from '../app/clock.ts';
import { outcomeOf, RunningAttempt } from './attempt.ts';
import type { TaskChanges } from './changes.ts';
import { Heartbeat } from './heartbeat.ts';
import type { QueueSettings } from './options.ts';
import { owner, worker } from './owner.ts';

/** Milliseconds for which a process that ends tries to tell a store that cannot be reached: others take its tasks then. */
const longestEnd = 15_000;

export interface ConsumerOptions {
  queue: string;
  store: Store;
  changes: TaskChanges;
  settings: QueueSettings;
  handler: TaskHandler<unknown, unknown>;
  /** Called when the first task begins, and when none is left. */
  working(isWorking: boolean): void;
}

export class Consumer {
  readonly #options: ConsumerOptions;
  readonly #attempts = new Map<RunningAttempt, Promise<void>>();
  readonly #loop: Promise<void>;
  readonly #unlisten: () => void;
  readonly #heartbeat: Heartbeat;
  #isStopping = false;
  #isClosed = false;
  #giveUpAt = Number.POSITIVE_INFINITY;
  #isWorthALook = false;
  #wake: (() => void) | undefined;
  #lastProblem = '';

  constructor(options: ConsumerOptions) {
    this.#options = options;
    this.#unlisten = options.changes.listen(() => this.#look());
    const { queue, store, settings } = options;
    this.#heartbeat = new Heartbeat({
      ...{ queue, store, keepCompleted: settings.keepCompleted },
      attempts: () => this.#attempts.keys(),
      tookBack: (count, fromWhom) => {
        print(`took ${count === 1 ? '1 task' : `${count} tasks`} of "${queue}" back from a process ${fromWhom}`);
        this.#look();
      },
      report: (error) => this.#report(error),
    });
    this.#loop = this.#run();
  }

  /** Claims nothing more. */
  stop(): void {
    if (!this.#isStopping) this.#giveUpAt = now() + longestEnd;
    this.#isStopping = true;
    this.#look();
  }

  /** Ends what runs, and gives it back. */
  cut(reason: string): void {
    for (const attempt of this.#attempts.keys()) attempt.cut(reason);
  }

  /** Resolves when all that runs here is finished, or given back, and the store knows. */
  async close(): Promise<void> {
    this.stop();
    await this.#loop;
    while (this.#attempts.size > 0) await Promise.all(this.#attempts.values());
    this.#isClosed = true;
    this.#heartbeat.end();
    this.#unlisten();
  }

  /** Takes back what a process had that is dead, as the daemon says. Does not reject. */
  takeFrom(owner: string): Promise<void> {
    return this.#heartbeat.takeFrom(owner);
  }

  #look(): void {
    this.#isWorthALook = true;
    this.#wake?.();
  }

  async #run(): Promise<void> {
    const { store, queue, settings } = this.#options;
    const { concurrency, limit } = settings;
    const how: ClaimOptions = { owner, worker, concurrency, ...(limit && { limit }) };
    await this.#heartbeat.beat();
    while (!this.#isStopping) {
      this.#isWorthALook = false;
      // Who has the whole share need not ask.
      const isFull = this.#attempts.size >= concurrency;
      let sentAt = now();
      const claim = () => {
        sentAt = now();
        return store.claim(queue, how);
      };
      const claimed = isFull ? none : await this.#reach(claim, () => this.#isStopping);
      if (!claimed) return;
      // Between two claims everything else has its turn.
      if ('claim' in claimed) {
        this.#begin(claimed, sentAt);
        await setImmediate();
      } else await this.#sleep(claimed.retryIn);
    }
  }

  async #sleep(ms: number | undefined): Promise<void> {
    if (this.#isWorthALook || this.#isStopping) return;
    await new Promise<void>((resolve) => {
      const timer = ms === undefined ? undefined : setTimeout(resolve, Math.min(ms, 0x7fffffff));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }

  #begin({ claim, task }: Extract<Claimed, { task: unknown }>, claimedAt: number): void {
    const attempt = new RunningAttempt(claim, task);
    if (!this.#options.store.isLocal) attempt.hold(claimedAt);
    if (this.#attempts.size === 0) this.#options.working(true);
    const done = this.#work(attempt).finally(() => {
      this.#attempts.delete(attempt);
      if (this.#attempts.size === 0) this.#options.working(false);
      this.#look();
    });
    this.#attempts.set(attempt, done);
    if (this.#isStopping) attempt.cut('the process ends');
  }

  async #work(attempt: RunningAttempt): Promise<void> {
    const { store, settings, handler } = this.#options;
    const { claim, task } = attempt;
    const report = (value: string) => store.progress(claim, value).catch((error) => this.#report(error));
    const end = await attempt.run(handler, settings.timeout, onlyLatest(report));
    const outcome = outcomeOf(end, task.failures, settings, Math.random());
    await this.#reach(
      () => store.finish(claim, outcome),
      () => this.#isClosed || now() > this.#giveUpAt,
    );
  }

  async #reach<T>(attempt: () => Promise<T>, isOver: () => boolean): Promise<T | undefined> {
    const result = await untilReached(attempt, isOver, (error) => this.#report(error));
    this.#lastProblem = '';
    return result;
  }

  /** Once for each problem, until it is another. */
  #report(error: unknown): undefined {
    const { message } = error as Error;
    if (message !== this.#lastProblem) print(`the queue "${this.#options.queue}" has a problem: ${message}`);
    this.#lastProblem = message;
    return undefined;
  }
}

const none: Claimed = { retryIn: undefined };

/** While one value is being written, only the last of those that follow is kept for the next write. `write` must not reject. */
function onlyLatest(write: (value: string) => Promise<unknown>): (value: string) => void {
  let next: string | undefined;
  let isWriting = false;
  return (value) => {
    next = value;
    // It does nothing but `write`.
    if (!isWriting) void writeAll();
  };

  async function writeAll(): Promise<void> {
    isWriting = true;
    for (let value = next; value !== undefined; value = next) {
      next = undefined;
      await write(value);
    }
    isWriting = false;
  }
}

/** Milliseconds before the second attempt; each further wait is twice as long, up to the second number. */
const waits = [50, 5_000] as const;

/**
 * For a store that cannot be reached: calls `attempt` until it resolves, or `isOver`; then it resolves with undefined. `report` is called
 * with each error.
 */
async function untilReached<T>(
  attempt: () => Promise<T>,
  isOver: () => boolean,
  report: (error: unknown) => void,
): Promise<T | undefined> {
  for (let ms: number = waits[0]; !isOver(); ms = Math.min(ms * 2, waits[1])) {
    try {
      return await attempt();
    } catch (error) {
      report(error);
      await wait(ms * (0.5 + Math.random() / 2));
    }
  }
  return undefined;
}

/** To standard error, as a warning of Node's would be. */
function print(text: string): void {
  process.stderr.write(`nsv/queue: ${text}\n`);
}
