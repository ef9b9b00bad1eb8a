// Keeps the claims of this process on tasks of one queue, and takes over those of processes that are dead.
import type { RunningTask, Store } from '../../queue/index.cjs';
import { now } from '../app/clock.ts';
import type { RunningAttempt } from './attempt.ts';
import { lookEvery, Observer } from './observer.ts';

/** Milliseconds. */
const cleanEvery = 60_000;

export interface HeartbeatOptions {
  queue: string;
  store: Store;
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
  #isBeating = false;
  #beats = 0;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    // It catches what the store rejects.
    this.#timer = setInterval(() => void this.beat(), lookEvery);
  }

  end(): void {
    clearInterval(this.#timer);
  }

  /** Does not reject. */
  async beat(): Promise<void> {
    // The store is slow, and this would be the next call that waits for it.
    if (this.#isBeating) return;
    this.#isBeating = true;
    const { queue, store, keepCompleted, report } = this.#options;
    try {
      await this.#takeBack(this.#observer.look(await this.#renew()), 'that gave no sign of life for 15 s');
      if (this.#beats++ % (cleanEvery / lookEvery) === 0) await store.removeCompleted(queue, keepCompleted);
    } catch (error) {
      this.#observer.forget();
      report(error);
    } finally {
      this.#isBeating = false;
    }
  }

  /** Takes back what a process had that is dead, as the daemon says. Does not reject. */
  async takeFrom(owner: string): Promise<void> {
    const { queue, store, report } = this.#options;
    try {
      const running = await store.renew(queue, []);
      await this.#takeBack(
        running.filter((task) => task.owner === owner),
        'that has died',
      );
    } catch (error) {
      report(error);
    }
  }

  async #renew(): Promise<RunningTask[]> {
    const { queue, store } = this.#options;
    const attempts = [...this.#options.attempts()];
    const sentAt = now();
    const running = await store.renew(
      queue,
      attempts.map(({ claim }) => claim),
    );
    const held = new Set(running.map(({ id, token }) => `${token} ${id}`));
    for (const attempt of attempts) {
      if (!held.has(`${attempt.claim.token} ${attempt.claim.id}`)) attempt.cut('another process has claimed the task');
      else if (!store.isLocal) attempt.hold(sentAt);
    }
    return running;
  }

  async #takeBack(tasks: readonly RunningTask[], fromWhom: string): Promise<void> {
    const { queue, store, tookBack } = this.#options;
    if (tasks.length === 0) return;
    const count = await store.release(queue, tasks);
    if (count > 0) tookBack(count, fromWhom);
  }
}
