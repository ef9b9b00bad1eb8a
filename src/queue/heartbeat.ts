// Keeps the claims of this process on tasks of one queue, gives back those that it does not know of, and takes over those of processes that are
// dead.
import type { Claim, RunningTask, Store } from '../../queue/index.cjs';
import { now } from '../app/clock.ts';
import type { RunningAttempt } from './attempt.ts';
import { lookEvery, Observer } from './observer.ts';

/** Milliseconds. */
const cleanEvery = 60_000;

export interface HeartbeatOptions {
  queue: string;
  store: Store;
  /** Who claims here. */
  owner: string;
  keepCompleted: number;
  /** What runs here. */
  attempts(): Iterable<RunningAttempt>;
  tookBack(count: number, fromWhom: string): void;
  report(error: unknown): void;
}

export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #observer = new Observer();
  readonly #timer: NodeJS.Timeout;
  #beating: Promise<void> | undefined;
  /** Claims of this process that it did not know of at the last beat. */
  #unknown = new Set<string>();
  #beats = 0;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    // It catches what the store rejects.
    this.#timer = setInterval(() => void this.beat(), lookEvery);
  }

  /** Resolves when it has said its last to the store. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    await this.#beating;
  }

  /** Does not reject. If the store is slow, the beat before this one may not be over: then this is the same. */
  beat(): Promise<void> {
    this.#beating ??= this.#beat().finally(() => {
      this.#beating = undefined;
    });
    return this.#beating;
  }

  async #beat(): Promise<void> {
    const { queue, store, keepCompleted, report } = this.#options;
    try {
      const sentAt = now();
      const running = await this.#renew(sentAt);
      await this.#takeBack(this.#observer.look(running, sentAt, now()), 'that gave no sign of life for 15 s');
      await this.#giveBack(running);
      if (this.#beats++ % (cleanEvery / lookEvery) === 0) await store.removeCompleted(queue, keepCompleted);
    } catch (error) {
      this.#observer.forget();
      report(error);
    }
  }

  /** Takes back what a process had that is dead, as the daemon says. Does not reject. */
  async takeFrom(owner: string): Promise<void> {
    const { queue, store, report } = this.#options;
    try {
      const running = await store.renew(queue, []);
      await this.#takeBack(
        running.filter((task) => task.owner.startsWith(owner)),
        'that has died',
      );
    } catch (error) {
      report(error);
    }
  }

  async #renew(sentAt: number): Promise<RunningTask[]> {
    const { queue, store } = this.#options;
    const attempts = [...this.#options.attempts()];
    const running = await store.renew(
      queue,
      attempts.map(({ claim }) => claim),
    );
    const held = new Set(running.map(nameOf));
    for (const attempt of attempts) {
      if (!held.has(nameOf(attempt.claim))) attempt.cut('another process has claimed the task');
      else if (!store.isLocal) attempt.hold(sentAt);
    }
    return running;
  }

  /** The answer to a claim was lost: nobody has begun with it. At its first sight, the answer may still be on its way. */
  async #giveBack(running: readonly RunningTask[]): Promise<void> {
    const { queue, store, owner, attempts } = this.#options;
    const known = new Set([...attempts()].map(({ claim }) => nameOf(claim)));
    const unknown = running.filter((task) => task.owner === owner && !known.has(nameOf(task)));
    const before = this.#unknown;
    this.#unknown = new Set(unknown.map(nameOf));
    const lost = unknown.filter((task) => before.has(nameOf(task)));
    await Promise.all(lost.map(({ id, token }) => store.finish({ queue, id, token }, { state: 'released' })));
  }

  async #takeBack(tasks: readonly RunningTask[], fromWhom: string): Promise<void> {
    const { queue, store, tookBack } = this.#options;
    if (tasks.length === 0) return;
    const count = await store.release(queue, tasks);
    if (count > 0) tookBack(count, fromWhom);
  }
}

/** Of a claim, in its queue. */
function nameOf({ id, token }: Pick<Claim, 'id' | 'token'>): string {
  return `${token} ${id}`;
}
