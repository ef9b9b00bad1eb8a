// One attempt at a task in this process, and what becomes of the task after it.
import type { Attempt, Claim, Json, Outcome, StoredTask, Task, TaskHandler } from '../../queue/index.cjs';
import { now } from '../app/clock.ts';
import { errorText } from './errors.ts';
import type { QueueSettings } from './options.ts';
import { jsonOf, mostProgress, taskOf } from './task.ts';

/** Milliseconds after the last confirmed renewal for which nobody else takes the task: fewer than others wait (observer.ts). */
const holds = 13_000;
/** Milliseconds for a handler to heed its signal, if the process exits otherwise. */
const patience = 5_000;
/** Milliseconds by which a timer is late only if the process, or the machine, stood still. */
const late = 1_000;

export class RunningAttempt {
  readonly claim: Claim;
  readonly task: StoredTask;
  readonly #controller = new AbortController();
  readonly #cut: Promise<AttemptEnd>;
  #reportCut: (end: AttemptEnd) => void = () => {};
  #isOver = false;
  /** Its time was over before its handler was done. */
  #late: AttemptEnd | undefined;
  #lapse: NodeJS.Timeout | undefined;

  constructor(claim: Claim, task: StoredTask) {
    this.claim = claim;
    this.task = task;
    this.#cut = new Promise((resolve) => {
      this.#reportCut = resolve;
    });
  }

  /**
   * Resolves when the handler is done, or at once when the time is over or the attempt is cut: a handler that does not heed its signal
   * cannot be ended, and must not hold up the queue. With `hangs`, it is waited for, and that is called if it takes too long.
   */
  async run<Data, Result>(
    handler: TaskHandler<Data, Result>,
    timeout: number,
    report: (value: string) => void,
    hangs?: () => void,
  ): Promise<AttemptEnd> {
    let timer: NodeJS.Timeout | undefined;
    const isOver = (reason: string) => {
      this.#late = { kind: 'failed', error: reason };
      if (hangs) timer = setTimeout(hangs, patience);
      this.#abort(reason, 'TimeoutError', hangs ? undefined : this.#late);
    };
    if (Number.isFinite(timeout)) timer = setTimeout(isOver, timeout, `took longer than ${timeout} ms`);
    try {
      const isCut = this.#controller.signal.aborted;
      const end = await (isCut ? this.#cut : Promise.race([this.#handle(handler, report), this.#cut]));
      return this.#late ?? end;
    } finally {
      this.#isOver = true;
      clearTimeout(timer);
      clearTimeout(this.#lapse);
    }
  }

  /** The store has confirmed the claim, in its answer to what was sent at this time (monotonic milliseconds). */
  hold(sentAt: number): void {
    clearTimeout(this.#lapse);
    if (this.#isOver) return;
    const due = sentAt + holds;
    this.#lapse = setTimeout(() => {
      // Whoever stood still asks first: the others may have done so, too, and the task be still here.
      if (now() > due + late) this.hold(now() + 2 * late - holds);
      else this.cut(`the store could not be reached for ${holds / 1_000} s, so another process may get the task`);
    }, due - now());
  }

  /** The process ends. What the handler returns or throws afterwards does not count. */
  cut(reason: string): void {
    this.#abort(reason, 'AbortError', { kind: 'cut' });
  }

  #abort(reason: string, name: 'AbortError' | 'TimeoutError', end?: AttemptEnd): void {
    if (this.#isOver) return;
    if (end) this.#reportCut(end);
    this.#controller.abort(new DOMException(reason, name));
  }

  async #handle<Data, Result>(
    handler: TaskHandler<Data, Result>,
    report: (value: string) => void,
  ): Promise<AttemptEnd> {
    const attempt: Attempt = {
      signal: this.#controller.signal,
      attempt: this.task.failures + this.task.deaths + 1,
      token: this.claim.token,
      progress: (value: Json) => {
        const text = jsonOf('the progress', value, mostProgress);
        if (!this.#isOver && text !== undefined) report(text);
      },
    };
    let result: unknown;
    try {
      result = await handler(taskOf(this.task) as Task<Data, Result>, attempt);
    } catch (error) {
      return { kind: 'failed', error: errorText(error) };
    }
    try {
      return { kind: 'returned', result: jsonOf('the result', result) };
    } catch (error) {
      // The work is done: another attempt would do it again, and fail in the same way.
      return { kind: 'failed', error: errorText(error), final: true };
    }
  }
}

/** How the handler's work has ended. */
export type AttemptEnd =
  | { kind: 'returned'; result: string | undefined }
  | { kind: 'failed'; error: string; final?: boolean }
  /** The process ends before the work is done. */
  | { kind: 'cut' };

/** Pure. `failures`: of earlier attempts. `chance`: 0 to 1. */
export function outcomeOf(
  end: AttemptEnd,
  failures: number,
  { retries, backoff }: QueueSettings,
  chance: number,
): Outcome {
  switch (end.kind) {
    case 'returned':
      return { state: 'completed', result: end.result };
    case 'cut':
      return { state: 'released' };
    case 'failed': {
      const { error } = end;
      if (end.final || failures >= retries) return { state: 'failed', error };
      return { state: 'retry', error, delay: delayAfter(failures, backoff, chance) };
    }
  }
}

/** Doubled with each failure. Up to a fifth less, so that tasks that have failed together do not all come back together. */
function delayAfter(failures: number, { delay, max }: QueueSettings['backoff'], chance: number): number {
  return Math.round(Math.min(delay * 2 ** failures, max) * (1 - chance / 5));
}
