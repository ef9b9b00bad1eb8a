// One queue, as a program has it.
import { setMaxListeners } from 'node:events';
import type {
  AddOptions,
  Queue,
  QueueCounts,
  QueueOptions,
  Store,
  Task,
  TaskHandler,
  TaskState,
  WaitOptions,
} from '../../queue/index.cjs';
import { isShuttingDown, onShutdown, shutdown, shutdownSignal, workInProgress } from '../app/shutdown.ts';
import { answerQuestion } from './answers.ts';
import { resultOf, TaskChanges } from './changes.ts';
import { Consumer } from './consumer.ts';
import { queueError } from './errors.ts';
import { join, type Membership, storePlaceOf } from './members.ts';
import {
  addOptionsOf,
  limitOf,
  type QueueSettings,
  queueNameOf,
  queueSettingsOf,
  stateOf,
  storeOf,
  taskIdOf,
} from './options.ts';
import { sqliteStore } from './stores/sqlite/sqlite.ts';
import { jsonOf, taskOf } from './task.ts';

const usualCount = 100;

export function createQueue<Data = unknown, Result = unknown>(
  name: string,
  options: QueueOptions = {},
): Queue<Data, Result> {
  return new TaskQueue<Data, Result>(
    queueNameOf(name),
    queueSettingsOf(options),
    storeOf(options.store ?? sqliteStore()),
  );
}

/** How many queues of this process use a store: the last one closes it. */
const users = new WeakMap<Store, number>();

async function leave(store: Store): Promise<void> {
  const left = (users.get(store) ?? 1) - 1;
  users.set(store, left);
  if (left === 0) await store.close();
}

class TaskQueue<Data, Result> implements Queue<Data, Result> {
  readonly name: string;
  readonly #settings: QueueSettings;
  readonly #store: Store;
  readonly #changes: TaskChanges;
  #consumer: Consumer | undefined;
  #end: End | undefined;
  readonly #membership: Membership;
  readonly #closed = new AbortController();
  #closing: Promise<void> | undefined;
  /** Calls of the program that the store has not answered. */
  readonly #calls = new Set<Promise<unknown>>();

  constructor(name: string, settings: QueueSettings, store: Store) {
    this.name = name;
    this.#settings = settings;
    this.#store = store;
    this.#changes = new TaskChanges(store, name);
    // One for each that waits.
    setMaxListeners(0, this.#closed.signal);
    users.set(store, (users.get(store) ?? 0) + 1);
    const works = () => this.#consumer !== undefined;
    this.#membership = join({
      name,
      place: storePlaceOf(store),
      get works() {
        return works();
      },
      takeFrom: async (owner) => this.#consumer?.takeFrom(owner),
      reply: (about) => answerQuestion(store, about),
    });
  }

  async add(data: Data, options: AddOptions = {}): Promise<{ id: string; added: boolean }> {
    const { id, ...rest } = addOptionsOf(options);
    // A task without data is one, too.
    const text = jsonOf('the data', data ?? null) ?? 'null';
    return { id, added: await this.#call((store) => store.add(this.name, { id, data: text, ...rest })) };
  }

  process(handler: TaskHandler<Data, Result>): void {
    if (typeof handler !== 'function') throw new TypeError('process: the handler must be a function');
    if (this.#consumer) throw new TypeError(`the queue "${this.name}" has a handler already in this process`);
    const store = this.#open;
    const end = atTheEnd(this.name, () => this.#consumer);
    this.#end = end;
    this.#consumer = new Consumer({
      queue: this.name,
      store,
      changes: this.#changes,
      settings: this.#settings,
      handler: handler as TaskHandler<unknown, unknown>,
      hangs: (id) => exitFor(this.name, id),
      working: end.working,
    });
    this.#membership.changed();
    if (isShuttingDown()) this.#consumer.stop();
  }

  async get(id: string): Promise<Task<Data, Result> | undefined> {
    const task = await this.#call((store) => store.get(this.name, taskIdOf(id)));
    return task && (taskOf(task) as Task<Data, Result>);
  }

  async waitFor(id: string, options: WaitOptions = {}): Promise<Result> {
    return resultOf(
      this.#open,
      this.#changes,
      this.name,
      taskIdOf(id),
      options,
      this.#closed.signal,
    ) as Promise<Result>;
  }

  async list(state: TaskState, { limit = usualCount }: { limit?: number } = {}): Promise<Task<Data, Result>[]> {
    const tasks = await this.#call((store) => store.list(this.name, stateOf(state), limitOf(limit)));
    return tasks.map((task) => taskOf(task) as Task<Data, Result>);
  }

  async counts(): Promise<QueueCounts> {
    return this.#call((store) => store.counts(this.name));
  }

  async retry(id?: string): Promise<number> {
    return this.#call((store) => store.retry(this.name, id === undefined ? undefined : taskIdOf(id)));
  }

  async pause(): Promise<void> {
    await this.#call((store) => store.pause(this.name, true));
  }

  async resume(): Promise<void> {
    await this.#call((store) => store.pause(this.name, false));
  }

  async remove(id: string): Promise<boolean> {
    return this.#call((store) => store.remove(this.name, taskIdOf(id)));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#closed.abort(queueError('NSV_CLOSED', `the queue "${this.name}" is closed`));
    await this.#consumer?.close();
    await Promise.allSettled(this.#calls);
    this.#end?.left();
    this.#membership.leave();
    await leave(this.#store);
  }

  async #call<T>(job: (store: Store) => Promise<T>): Promise<T> {
    const call = job(this.#open);
    this.#calls.add(call);
    try {
      return await call;
    } finally {
      this.#calls.delete(call);
    }
  }

  get #open(): Store {
    this.#closed.signal.throwIfAborted();
    return this.#store;
  }
}

/** Nothing else ends what the handler does. */
function exitFor(queue: string, id: string): void {
  process.exitCode ??= 1;
  shutdown(`the handler of "${id}" in the queue "${queue}" has not ended after its timeout`);
}

interface End {
  /** Holds up the end of the process while tasks run. */
  working(isWorking: boolean): void;
  /** The queue is closed, and has no part in it any more. */
  left(): void;
}

/**
 * A queue takes part in the end of its process: it begins nothing more, what runs is finished as long as there is time, and the rest is
 * given back before the handlers of the program have their turn.
 */
function atTheEnd(queue: string, consumer: () => Consumer | undefined): End {
  const stop = () => consumer()?.stop();
  const cut = () => consumer()?.cut('the process ends');
  const signal = shutdownSignal();
  signal.addEventListener('abort', stop);
  const forget = onShutdown(
    async () => {
      cut();
      await consumer()?.close();
    },
    { name: `queue ${queue}` },
  );
  let end: (() => void) | undefined;
  return {
    working(isWorking) {
      end?.();
      end = isWorking ? workInProgress({ queue }, cut) : undefined;
    },
    left() {
      signal.removeEventListener('abort', stop);
      forget();
    },
  };
}
