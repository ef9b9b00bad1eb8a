// Works on the tasks of one queue in this process: claims what it may, runs the handler, and says how it has ended.
import { setImmediate } from 'node:timers/promises';
import type { Claimed, ClaimOptions, Outcome, Store, TaskHandler } from '../../queue/index.cjs';
import { now, wait } from '../app/clock.ts';
import { outcomeOf, RunningAttempt } from './attempt.ts';
import type { TaskChanges } from './changes.ts';
import { Heartbeat } from './heartbeat.ts';
import type { QueueSettings } from './options.ts';
import { owner, worker } from './owner.ts';

/**
 * Milliseconds after which a place is given up, and for how long, so that another process notices: whoever ends a task is the first to claim the next,
 * and the others would get none as long as there are any. With n places it is one of them n times as often.
 */
const turn = { lasts: 1_000, pause: 50 };
/** Milliseconds for which a process that ends tries to tell a store that cannot be reached: others take its tasks then. */
const longestEnd = 15_000;

export interface ConsumerOptions {
  queue: string;
  store: Store;
  changes: TaskChanges;
  settings: QueueSettings;
  handler: TaskHandler<unknown, unknown>;
  /** The handler of this task does not heed its signal. */
  hangs(id: string): void;
  /** Called when the first task begins, and when none is left. */
  working(isWorking: boolean): void;
}

export class Consumer {
  readonly #options: ConsumerOptions;
  readonly #how: ClaimOptions;
  readonly #attempts = new Set<RunningAttempt>();
  /** Each works on one task after another. */
  readonly #places = new Set<Promise<void>>();
  readonly #loop: Promise<void>;
  readonly #unlisten: () => void;
  readonly #heartbeat: Heartbeat;
  #isStopping = false;
  #isClosed = false;
  #giveUpAt = Number.POSITIVE_INFINITY;
  #turnEnds = 0;
  #isWorthALook = false;
  #wake: (() => void) | undefined;
  #lastProblem = '';

  constructor(options: ConsumerOptions) {
    this.#options = options;
    this.#unlisten = options.changes.listen(() => this.#look());
    const { queue, store, settings } = options;
    const { concurrency, limit } = settings;
    claimants += 1;
    this.#how = { owner: `${owner}/${claimants}`, worker, concurrency, ...(limit && { limit: withGrace(limit) }) };
    this.#heartbeat = new Heartbeat({
      ...{ queue, store, owner: this.#how.owner, keepCompleted: settings.keepCompleted },
      attempts: () => this.#attempts,
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
    for (const attempt of this.#attempts) attempt.cut(reason);
  }

  /** Resolves when all that runs here is finished, or given back, and the store knows. */
  async close(): Promise<void> {
    this.stop();
    await this.#loop;
    await Promise.all(this.#places);
    this.#isClosed = true;
    await this.#heartbeat.end();
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
    await this.#heartbeat.beat();
    while (!this.#isStopping) {
      this.#isWorthALook = false;
      // Who has the whole share need not ask.
      const isFull = this.#places.size >= settings.concurrency;
      const claimed = isFull
        ? none
        : await this.#reach(
            () => this.#claim(() => store.claim(queue, this.#how)),
            () => this.#isStopping,
          );
      if (!claimed) return;
      // Between two claims everything else has its turn.
      if (claimed instanceof RunningAttempt) {
        this.#fill(claimed);
        await setImmediate();
      } else await this.#sleep(claimed.retryIn);
    }
  }

  /** A new attempt, of which the heartbeat knows at once. */
  async #claim(claim: () => Promise<Claimed>): Promise<RunningAttempt | Wait> {
    const sentAt = now();
    const claimed = await claim();
    if (!('claim' in claimed)) return claimed;
    const attempt = new RunningAttempt(claimed.claim, claimed.task);
    if (!this.#options.store.isLocal) attempt.hold(sentAt);
    this.#attempts.add(attempt);
    return attempt;
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

  #fill(first: RunningAttempt): void {
    if (this.#places.size === 0) {
      this.#turnEnds = now() + turn.lasts;
      this.#options.working(true);
    }
    const done = this.#workFrom(first).finally(() => {
      this.#places.delete(done);
      if (this.#places.size === 0) this.#options.working(false);
      this.#look();
    });
    this.#places.add(done);
  }

  async #workFrom(first: RunningAttempt): Promise<void> {
    for (let attempt: RunningAttempt | undefined = first; attempt; ) {
      const outcome = await this.#work(attempt);
      if (this.#isTurnOver()) {
        await this.#tell(attempt, outcome);
        if (!this.#isStopping) await wait(turn.pause);
        return;
      }
      attempt = await this.#exchange(attempt, outcome);
      // Between two tasks everything else has its turn.
      await setImmediate();
    }
  }

  /** For one place at a time. */
  #isTurnOver(): boolean {
    if (now() < this.#turnEnds) return false;
    this.#turnEnds = now() + turn.lasts / this.#places.size;
    return true;
  }

  /** Says how the attempt has ended, and claims the next task, with a store that can do both at once. */
  async #exchange(attempt: RunningAttempt, outcome: Outcome): Promise<RunningAttempt | undefined> {
    const { store } = this.#options;
    if (this.#isStopping || !store.next) return this.#tell(attempt, outcome);
    let isTold = false;
    const next = await this.#next(async () => {
      const claimed = await store.next!(attempt.claim, outcome, this.#how);
      isTold = true;
      this.#attempts.delete(attempt);
      return claimed;
    });
    return isTold ? next : this.#tell(attempt, outcome);
  }

  async #next(claim: () => Promise<Claimed>): Promise<RunningAttempt | undefined> {
    try {
      const next = await this.#claim(claim);
      return next instanceof RunningAttempt ? next : undefined;
    } catch (error) {
      return this.#report(error);
    }
  }

  async #work(attempt: RunningAttempt): Promise<Outcome> {
    const { store, settings, handler } = this.#options;
    const { claim, task } = attempt;
    const report = (value: string) => store.progress(claim, value).catch((error) => this.#report(error));
    if (this.#isStopping) attempt.cut('the process ends');
    const hangs = settings.onTimeout === 'exit' ? () => this.#options.hangs(task.id) : undefined;
    const end = await attempt.run(handler, settings.timeout, onlyLatest(report), hangs);
    return outcomeOf(end, task.failures, settings, Math.random());
  }

  async #tell(attempt: RunningAttempt, outcome: Outcome): Promise<undefined> {
    await this.#reach(
      () => this.#options.store.finish(attempt.claim, outcome),
      () => this.#isClosed || now() > this.#giveUpAt,
    );
    this.#attempts.delete(attempt);
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

/**
 * A task begins later than it is claimed, by the time of an answer. So those that are claimed `per` apart could begin at the same time: the store counts
 * each of them for a tenth longer, for up to a second.
 */
function withGrace({ max, per }: { max: number; per: number }): { max: number; per: number } {
  return { max, per: per + Math.ceil(Math.min(per / 10, 1_000)) };
}

/** How many have claimed in this process. */
let claimants = 0;

type Wait = Extract<Claimed, { retryIn: unknown }>;

const none: Wait = { retryIn: undefined };

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
