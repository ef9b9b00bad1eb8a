// Keeps tasks in this process, for tests: they are gone with it.
import type {
  Claim,
  Claimed,
  ClaimOptions,
  NewTask,
  Outcome,
  QueueCounts,
  RunningTask,
  Store,
  StoredTask,
  TaskState,
} from '../../../queue/index.cjs';
import { wall } from '../../app/clock.ts';
import { diedError, mostDeaths } from '../errors.ts';
import { worker } from '../owner.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface Entry {
  /** The order in which tasks were added. */
  number: number;
  priority: number;
  task: Mutable<StoredTask>;
  /** Of a running task. */
  claim?: { token: number; owner: string; beat: number };
}

interface MemoryQueue {
  entries: Map<string, Entry>;
  isPaused: boolean;
  /** Of the last claim. */
  token: number;
  /** When tasks have begun. */
  begun: number[];
  listeners: Set<() => void>;
}

export function memoryStore(): Store {
  return new MemoryStore();
}

class MemoryStore implements Store {
  readonly isLocal = true;
  readonly #queues = new Map<string, MemoryQueue>();
  #added = 0;

  async add(queue: string, { id, data, delay, priority }: NewTask): Promise<boolean> {
    const own = this.#of(queue);
    if (own.entries.has(id)) return false;
    const now = wall();
    const task: StoredTask = { id, state: 'pending', data, failures: 0, deaths: 0, addedAt: now, dueAt: now + delay };
    this.#added += 1;
    own.entries.set(id, { number: this.#added, priority, task });
    notify(own);
    return true;
  }

  async claim(queue: string, { worker, owner, concurrency, limit }: ClaimOptions): Promise<Claimed> {
    const own = this.#of(queue);
    const now = wall();
    if (own.isPaused || inState(own, 'running').length >= concurrency) return { retryIn: undefined };
    if (limit) {
      own.begun = own.begun.filter((at) => at > now - limit.per && at <= now);
      if (own.begun.length >= limit.max) return { retryIn: own.begun[0]! + limit.per - now };
    }
    const pending = inState(own, 'pending');
    const next = pending.find(({ task }) => task.dueAt! <= now);
    if (!next)
      return { retryIn: pending.length > 0 ? Math.min(...pending.map(({ task }) => task.dueAt!)) - now : undefined };
    if (limit) own.begun.push(now);
    own.token += 1;
    const { token } = own;
    next.claim = { token, owner, beat: 0 };
    Object.assign(next.task, { state: 'running', startedAt: now, worker });
    delete next.task.dueAt;
    return { claim: { queue, id: next.task.id, token }, task: { ...next.task } };
  }

  async renew(queue: string, claims: readonly Claim[]): Promise<RunningTask[]> {
    for (const claim of claims) {
      const held = this.#held(claim)?.claim;
      if (held) held.beat += 1;
    }
    return inState(this.#of(queue), 'running').map(({ task, claim }) => ({ id: task.id, ...claim! }));
  }

  async finish(claim: Claim, outcome: Outcome): Promise<boolean> {
    const entry = this.#held(claim);
    if (!entry) return false;
    const { task } = entry;
    end(entry);
    if (outcome.state === 'completed') {
      Object.assign(task, { state: 'completed', finishedAt: wall() });
      if (outcome.result !== undefined) task.result = outcome.result;
    } else {
      if (outcome.state !== 'released') Object.assign(task, { error: outcome.error, failures: task.failures + 1 });
      if (outcome.state === 'failed') Object.assign(task, { state: 'failed', finishedAt: wall() });
      else Object.assign(task, { state: 'pending', dueAt: wall() + (outcome.state === 'retry' ? outcome.delay : 0) });
    }
    notify(this.#of(claim.queue));
    return true;
  }

  async progress(claim: Claim, value: string): Promise<boolean> {
    const entry = this.#held(claim);
    if (entry) entry.task.progress = value;
    return entry !== undefined;
  }

  async release(queue: string, tasks: readonly RunningTask[]): Promise<number> {
    const own = this.#of(queue);
    const isSame = ({ task, claim }: Entry) =>
      tasks.some(({ id, token, beat }) => task.id === id && claim!.token === token && claim!.beat === beat);
    const lost = inState(own, 'running').filter(isSame);
    for (const entry of lost) {
      const { task } = entry;
      end(entry);
      task.deaths += 1;
      if (task.deaths < mostDeaths) Object.assign(task, { state: 'pending', dueAt: wall() });
      else Object.assign(task, { state: 'failed', error: diedError, finishedAt: wall() });
    }
    if (lost.length > 0) notify(own);
    return lost.length;
  }

  async get(queue: string, id: string): Promise<StoredTask | undefined> {
    const entry = this.#of(queue).entries.get(id);
    return entry && { ...entry.task };
  }

  async list(queue: string, state: TaskState, limit: number): Promise<StoredTask[]> {
    const found = inState(this.#of(queue), state).map(({ task }) => ({ ...task }));
    if (state === 'pending') return found.slice(0, limit);
    const at = (task: StoredTask) => task.finishedAt ?? task.startedAt ?? 0;
    return found.sort((one, other) => at(other) - at(one)).slice(0, limit);
  }

  async counts(queue: string): Promise<QueueCounts> {
    const own = this.#of(queue);
    const count = (state: TaskState) => inState(own, state).length;
    return {
      pending: count('pending'),
      running: count('running'),
      completed: count('completed'),
      failed: count('failed'),
      paused: own.isPaused,
    };
  }

  async completedSince(queue: string, at: number): Promise<number> {
    return inState(this.#of(queue), 'completed').filter(({ task }) => task.finishedAt! > at).length;
  }

  async retry(queue: string, id?: string): Promise<number> {
    const own = this.#of(queue);
    const chosen = inState(own, 'failed').filter(({ task }) => id === undefined || task.id === id);
    for (const { task } of chosen) {
      Object.assign(task, { state: 'pending', failures: 0, deaths: 0, dueAt: wall() });
      delete task.finishedAt;
    }
    if (chosen.length > 0) notify(own);
    return chosen.length;
  }

  async pause(queue: string, paused: boolean): Promise<void> {
    const own = this.#of(queue);
    own.isPaused = paused;
    notify(own);
  }

  async remove(queue: string, id: string): Promise<boolean> {
    const { entries } = this.#of(queue);
    return entries.get(id)?.task.state !== 'running' && entries.delete(id);
  }

  async removeCompleted(queue: string, age: number): Promise<void> {
    const own = this.#of(queue);
    const old = inState(own, 'completed').filter(({ task }) => task.finishedAt! < wall() - age);
    for (const { task } of old) own.entries.delete(task.id);
  }

  watch(queue: string, changed: () => void): () => void {
    const { listeners } = this.#of(queue);
    listeners.add(changed);
    return () => listeners.delete(changed);
  }

  place(): string {
    return `the memory of ${worker}`;
  }

  async close(): Promise<void> {}

  #of(name: string): MemoryQueue {
    const known = this.#queues.get(name) ?? {
      ...{ entries: new Map(), isPaused: false, token: 0, begun: [], listeners: new Set() },
    };
    this.#queues.set(name, known);
    return known;
  }

  #held({ queue, id, token }: Claim): Entry | undefined {
    const entry = this.#of(queue).entries.get(id);
    return entry?.claim?.token === token ? entry : undefined;
  }
}

/** In the order in which they begin. */
function inState({ entries }: MemoryQueue, state: TaskState): Entry[] {
  const found = [...entries.values()].filter(({ task }) => task.state === state);
  return found.sort((one, other) => one.priority - other.priority || one.number - other.number);
}

function end(entry: Entry): void {
  delete entry.claim;
  delete entry.task.startedAt;
  delete entry.task.worker;
}

function notify({ listeners }: MemoryQueue): void {
  for (const changed of listeners) queueMicrotask(changed);
}
