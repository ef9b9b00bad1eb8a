// Runs the commands on one group one after another, so that they never race. A command that stops the group (stop,
// delete, kill) does not wait for those before it: it aborts them.
import { setMaxListeners } from 'node:events';
import { detailOf } from '../../shared/errors.ts';

export type QueuedJob<T = void> = (abort: AbortSignal) => Promise<T>;

interface Entry {
  command: string;
  controller: AbortController;
}

export class CommandQueue {
  readonly #entries: Entry[] = [];
  #tail: Promise<unknown> = Promise.resolve();

  /** The command that runs now, for "waiting for ..." messages. */
  get current(): string | undefined {
    return this.#entries[0]?.command;
  }

  /** Runs the job when all earlier jobs have settled; settles as the job does. */
  run<T>(command: string, job: QueuedJob<T>): Promise<T> {
    const entry: Entry = { command, controller: new AbortController() };
    // Every process that a job waits for adds a listener, and Node reports more than ten as a leak.
    setMaxListeners(0, entry.controller.signal);
    this.#entries.push(entry);
    const result = this.#tail.then(() => job(entry.controller.signal));
    this.#tail = result.catch(detailOf).then(() => this.#entries.splice(this.#entries.indexOf(entry), 1));
    return result;
  }

  /** Aborts all earlier jobs, then runs this one as soon as they have settled. */
  preempt<T>(command: string, job: QueuedJob<T>): Promise<T> {
    for (const { controller } of this.#entries) controller.abort(command);
    return this.run(command, job);
  }
}
