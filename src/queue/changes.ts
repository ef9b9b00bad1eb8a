// Tells those who wait in this process that the store may have changed. Looks at nothing while nobody waits.
import { setMaxListeners } from 'node:events';
import type { Store, StoredTask, WaitOptions } from '../../queue/index.cjs';
import { now } from '../app/clock.ts';
import { queueError } from './errors.ts';
import { parsed } from './task.ts';

/** Milliseconds between two looks, in case the store does not tell, or has missed something. */
const pollEvery = { notified: 2_000, unnotified: 500 };
/**
 * At least this many milliseconds between two calls of the listeners: a busy store changes thousands of times a second. Each of them reads
 * something, so that they must look the less often the more they are.
 */
const calmFor = (listeners: number) => 20 + listeners / 5;

export class TaskChanges {
  readonly #store: Store;
  readonly #queue: string;
  readonly #listeners = new Set<() => void>();
  #end: (() => void) | undefined;
  #last = Number.NEGATIVE_INFINITY;
  #later: NodeJS.Timeout | undefined;

  constructor(store: Store, queue: string) {
    this.#store = store;
    this.#queue = queue;
  }

  /** Returns how to stop. The process stays alive meanwhile. */
  listen(listener: () => void): () => void {
    if (this.#listeners.size === 0) this.#end = this.#begin();
    this.#listeners.add(listener);
    return () => {
      if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return;
      this.#end?.();
      clearTimeout(this.#later);
      this.#later = undefined;
    };
  }

  #begin(): () => void {
    const unwatch = this.#store.watch?.(this.#queue, () => this.#changed());
    const timer = setInterval(() => this.#changed(), unwatch ? pollEvery.notified : pollEvery.unnotified);
    return () => {
      clearInterval(timer);
      unwatch?.();
    };
  }

  #changed(): void {
    const wait = this.#last + calmFor(this.#listeners.size) - now();
    if (wait > 0) {
      this.#later ??= setTimeout(() => this.#notify(), wait);
      return;
    }
    this.#notify();
  }

  #notify(): void {
    clearTimeout(this.#later);
    this.#later = undefined;
    this.#last = now();
    for (const listener of [...this.#listeners]) listener();
  }
}

/** Waits for the result of a task that any process may be working on. `closed`: aborted when the queue is. */
export function resultOf(
  store: Store,
  changes: TaskChanges,
  queue: string,
  id: string,
  { timeout, signal }: WaitOptions,
  closed: AbortSignal,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let isLooking = false;
    let isChanged = false;
    const unlisten = changes.listen(look);
    const late = () => end(() => reject(queueError('NSV_TIMEOUT', `the task "${id}" took longer than ${timeout} ms`)));
    const timer = timeout === undefined ? undefined : setTimeout(late, timeout);
    const aborted = () => end(() => reject(signal?.reason));
    const left = () => end(() => reject(closed.reason));

    function end(settle: () => void): void {
      unlisten();
      clearTimeout(timer);
      signal?.removeEventListener('abort', aborted);
      closed.removeEventListener('abort', left);
      settle();
    }

    function look(): void {
      isChanged = true;
      if (isLooking) return;
      isLooking = true;
      read().then(
        () => {
          isLooking = false;
        },
        (error) => end(() => reject(error)),
      );
    }

    async function read(): Promise<void> {
      while (isChanged) {
        isChanged = false;
        const task = await store.get(queue, id);
        if (!task) end(() => reject(queueError('NSV_NO_TASK', `the queue "${queue}" has no task "${id}"`)));
        else if (task.state === 'completed') end(() => resolve(parsed(task.result)));
        else if (task.state === 'failed') end(() => reject(failed(task)));
      }
    }

    if (signal?.aborted) aborted();
    else {
      // Many may wait with the same one.
      if (signal) setMaxListeners(0, signal);
      signal?.addEventListener('abort', aborted);
      closed.addEventListener('abort', left);
      look();
    }
  });
}

function failed({ id, error = '' }: StoredTask): Error {
  return queueError('NSV_TASK_FAILED', `the task "${id}" failed: ${error.split('\n')[0]}`);
}
