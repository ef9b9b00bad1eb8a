// Which process keeps a task, and which loses it, on a fake clock.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Store } from '../../../queue/index.cjs';
import { RunningAttempt } from '../../../src/queue/attempt.ts';
import { Heartbeat } from '../../../src/queue/heartbeat.ts';
import { memoryStore } from '../../../src/queue/index.ts';

// The store has its own turns.
const toFake = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] as const;
beforeEach(() => void vi.useFakeTimers({ toFake: [...toFake] }));
afterEach(() => void vi.useRealTimers());

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** A process that works on all tasks which it can claim from the store that keeps them, as far as it can be reached. */
class Process {
  readonly attempts: RunningAttempt[] = [];
  readonly takenBack: number[] = [];
  isCutOff = false;
  readonly #owner: string;
  readonly #real: Store;
  readonly #heartbeat: Heartbeat;
  readonly #store: Store;

  constructor(owner: string, real: Store, isLocal: boolean) {
    this.#owner = owner;
    this.#real = real;
    this.#store = new Proxy(real, { get: (target, name: keyof Store) => this.#call(target, name, isLocal) });
    this.#heartbeat = new Heartbeat({
      ...{ queue: 'q', store: this.#store, owner, keepCompleted: 1_000_000 },
      attempts: () => this.attempts,
      tookBack: (count) => this.takenBack.push(count),
      report: () => {},
    });
    stops.push(() => this.#heartbeat.end());
  }

  async work(): Promise<void> {
    const answer = await this.#real.claim('q', { worker: 'here:1', owner: this.#owner, concurrency: 10 });
    if (!('task' in answer)) throw new Error('nothing to claim');
    const attempt = new RunningAttempt(answer.claim, answer.task);
    this.attempts.push(attempt);
    if (!this.#store.isLocal) attempt.hold(performance.now());
    const never = (_task: unknown, { signal }: { signal: AbortSignal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const forget = () => void this.attempts.splice(this.attempts.indexOf(attempt), 1);
    void attempt.run(never, Number.POSITIVE_INFINITY, () => {}).then(forget);
  }

  #call(target: Store, name: keyof Store, isLocal: boolean) {
    if (name === 'isLocal') return isLocal;
    const value = target[name];
    if (typeof value !== 'function') return value;
    return async (...values: unknown[]) => {
      if (this.isCutOff) throw new Error('the store cannot be reached');
      return Reflect.apply(value, target, values);
    };
  }
}

async function two({ isLocal = false } = {}) {
  const store = memoryStore();
  for (const id of ['a', 'b']) await store.add('q', { id, data: 'null', delay: 0, priority: 0 });
  const [one, other] = [new Process('one', store, isLocal), new Process('other', store, isLocal)];
  await one.work();
  await other.work();
  return { store, one, other };
}

/** Of the fake clock. The store has as many real turns as it needs after each of them. */
async function seconds(count: number): Promise<void> {
  for (let rest = count; rest > 0; rest -= 1) {
    await vi.advanceTimersByTimeAsync(Math.min(rest, 1) * 1_000);
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
  }
}

describe('a task', () => {
  it('stays with its process as long as that renews it', async () => {
    const { store, one, other } = await two();
    await seconds(600);
    expect([one.attempts.length, other.attempts.length]).toEqual([1, 1]);
    expect(await store.counts('q')).toMatchObject({ running: 2 });
  });

  it('is given up after 13 s by a process that cannot reach the store, and taken back after 15 to 20 s', async () => {
    const { store, one, other } = await two();
    await seconds(7);
    one.isCutOff = true;
    const [attempt] = one.attempts;
    // It was renewed last after 5 s.
    await seconds(10.9);
    expect(one.attempts).toEqual([attempt]);
    await seconds(0.2);
    expect(one.attempts).toEqual([]);
    expect(other.takenBack).toEqual([]);
    await seconds(7);
    expect(other.takenBack).toEqual([1]);
    expect(await store.get('q', 'a')).toMatchObject({ state: 'pending', deaths: 1 });
  });

  it('is not given up if the store is local: what keeps one process from it keeps all of them', async () => {
    const { store, one, other } = await two({ isLocal: true });
    for (const each of [one, other]) each.isCutOff = true;
    await seconds(300);
    for (const each of [one, other]) each.isCutOff = false;
    await seconds(60);
    expect([one.attempts.length, other.attempts.length]).toEqual([1, 1]);
    expect(await store.get('q', 'a')).toMatchObject({ state: 'running', deaths: 0 });
  });

  it('stays with its process when the wall clock is set', async () => {
    const { store, one, other } = await two();
    await seconds(7);
    for (const by of [20_000, -3_600_000]) {
      vi.setSystemTime(Date.now() + by);
      await seconds(60);
    }
    expect([one.takenBack, other.takenBack]).toEqual([[], []]);
    expect(await store.get('q', 'a')).toMatchObject({ state: 'running', deaths: 0 });
  });

  it('is given up by a process that finds that another one has it', async () => {
    const { store, one } = await two({ isLocal: true });
    await store.release('q', await store.renew('q', []));
    expect(one.attempts.length).toBe(1);
    await seconds(5);
    expect(one.attempts).toEqual([]);
  });
});

describe('a claim whose answer was lost', () => {
  it('is given back by its process without counting anything, after the second look', async () => {
    const store = memoryStore();
    await store.add('q', { id: 'a', data: 'null', delay: 0, priority: 0 });
    // It works on nothing.
    new Process('one', store, true);
    await store.claim('q', { worker: 'here:1', owner: 'one', concurrency: 1 });
    await seconds(9);
    expect(await store.get('q', 'a')).toMatchObject({ state: 'running' });
    await seconds(5);
    expect(await store.get('q', 'a')).toMatchObject({ state: 'pending', failures: 0, deaths: 0 });
  });
});

describe('a process that stood still', () => {
  it('asks the store before it gives up its task', async () => {
    const { one } = await two();
    const [attempt] = one.attempts;
    // As after SIGSTOP, the timers are late.
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
    attempt!.hold(performance.now() - 60_000);
    await vi.advanceTimersByTimeAsync(1);
    expect(one.attempts).toEqual([attempt]);
    vi.mocked(performance.now).mockReturnValue(performance.now() + 2_001);
    await vi.advanceTimersByTimeAsync(2_001);
    expect(one.attempts).toEqual([]);
    vi.restoreAllMocks();
  });
});
