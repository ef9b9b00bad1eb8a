import { setTimeout as after } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Queue, QueueOptions, Store } from '../../../queue/index.cjs';
import { createQueue, memoryStore } from '../../../src/queue/index.ts';
import { eventually } from '../../helpers/eventually.ts';
import { gate } from '../../helpers/wire.ts';

function opened<Data = unknown, Result = unknown>(options: QueueOptions = {}): Queue<Data, Result> {
  const queue = createQueue<Data, Result>('q', { store: memoryStore(), ...options });
  onTestFinished(() => queue.close());
  return queue;
}

const quick = { backoff: { delay: 1 } };

describe('a queue', () => {
  it('passes the data to the handler, and its result to waitFor', async () => {
    const queue = opened<{ n: number }, number>();
    const { id } = await queue.add({ n: 20 });
    const result = queue.waitFor(id);
    queue.process(({ data }) => data.n + 1);
    expect(await result).toBe(21);
    expect(await queue.waitFor(id)).toBe(21);
    expect(await queue.get(id)).toMatchObject({ id, state: 'completed', data: { n: 20 }, result: 21, attempts: 1 });
  });

  it('processes tasks without data and results', async () => {
    const queue = opened();
    queue.process(() => undefined);
    const { id } = await queue.add(undefined);
    expect(await queue.waitFor(id)).toBeUndefined();
    expect((await queue.get(id))!.data).toBeNull();
  });

  it('repeats a failed task, and numbers its attempts', async () => {
    const queue = opened(quick);
    const attempts: number[] = [];
    queue.process((_task, { attempt }) => {
      attempts.push(attempt);
      if (attempt < 3) throw new Error(`no luck with ${attempt}`);
      return 'done';
    });
    const { id } = await queue.add(1);
    expect(await queue.waitFor(id)).toBe('done');
    expect(attempts).toEqual([1, 2, 3]);
    expect(await queue.get(id)).toMatchObject({ attempts: 3, error: expect.stringContaining('no luck with 2') });
  });

  it('fails a task after its retries, and can retry it on request', async () => {
    const queue = opened({ ...quick, retries: 1 });
    let isBroken = true;
    queue.process(() => {
      if (isBroken) throw new TypeError('wrong');
      return 'right';
    });
    const { id } = await queue.add(1);
    const failure = { code: 'NSV_TASK_FAILED', message: `the task "${id}" failed: TypeError: wrong` };
    await expect(queue.waitFor(id)).rejects.toMatchObject(failure);
    expect(await queue.list('failed')).toMatchObject([{ id, attempts: 2 }]);
    isBroken = false;
    expect(await queue.retry(id)).toBe(1);
    expect(await queue.waitFor(id)).toBe('right');
  });

  it('ends an attempt that takes too long', async () => {
    const queue = opened({ retries: 0, timeout: 20 });
    let reason: unknown;
    queue.process(async (_task, { signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      reason = signal.reason;
      return 'too late';
    });
    const { id } = await queue.add(1);
    await expect(queue.waitFor(id)).rejects.toThrow('took longer than 20 ms');
    expect(reason).toMatchObject({ name: 'TimeoutError' });
    expect(await queue.get(id)).not.toHaveProperty('result');
  });

  it('moves on to the next task when a handler ignores its signal', async () => {
    const queue = opened({ retries: 0, timeout: 20 });
    queue.process(({ data }) => (data === 'hangs' ? new Promise(() => {}) : 'done'));
    await queue.add('hangs');
    const { id } = await queue.add('works');
    expect(await queue.waitFor(id)).toBe('done');
  });

  it('shows the progress of a task', async () => {
    const queue = opened();
    const { open, opened: opens } = gate();
    queue.process(async (_task, { progress }) => {
      progress({ percent: 50 });
      await opens;
    });
    const { id } = await queue.add(1);
    await eventually(async () => (await queue.get(id))?.progress !== undefined, 'the progress is known');
    expect(await queue.get(id)).toMatchObject({ state: 'running', progress: { percent: 50 } });
    open();
    await queue.waitFor(id);
  });

  it('limits how many tasks run at a time across all its members', async () => {
    const store = memoryStore();
    const all = [opened({ store, concurrency: 2 }), opened({ store, concurrency: 2 })];
    let running = 0;
    let most = 0;
    for (const queue of all) {
      queue.process(async () => {
        running += 1;
        most = Math.max(most, running);
        await after(1);
        running -= 1;
      });
    }
    const tasks = await Promise.all(Array.from({ length: 20 }, (_, n) => all[0]!.add(n)));
    await Promise.all(tasks.map(({ id }) => all[1]!.waitFor(id)));
    expect(most).toBe(2);
  });

  it('shares its tasks with a process that comes later, however many wait', async () => {
    const store = memoryStore();
    const [first, second] = [opened({ store, concurrency: 2 }), opened({ store, concurrency: 2 })];
    for (let n = 0; n < 1_000; n += 1) await first.add(n);
    let isShared = false;
    first.process(() => (isShared ? undefined : after(10)));
    await eventually(async () => (await first.counts()).running === 2, 'it has all places');
    second.process(() => {
      isShared = true;
    });
    await eventually(() => isShared, 'the second one works, too');
    expect((await first.counts()).pending).toBeGreaterThan(0);
  });

  it('begins no task while it is paused', async () => {
    const queue = opened();
    await queue.pause();
    queue.process(() => 'done');
    const { id } = await queue.add(1);
    await expect(queue.waitFor(id, { timeout: 50 })).rejects.toMatchObject({ code: 'NSV_TIMEOUT' });
    expect(await queue.counts()).toMatchObject({ pending: 1, paused: true });
    await queue.resume();
    expect(await queue.waitFor(id)).toBe('done');
  });

  it('finishes running tasks when it is closed', async () => {
    const store = memoryStore();
    const queue = opened({ store });
    // The store stays open.
    opened({ store });
    const { open, opened: opens } = gate();
    const { id } = await queue.add(1);
    const begun = gate();
    queue.process(async () => {
      begun.open();
      await opens;
      return 'done';
    });
    await begun.opened;
    await queue.add(2);
    const closed = queue.close();
    open();
    await closed;
    expect(await store.get('q', id)).toMatchObject({ state: 'completed' });
    expect(await store.counts('q')).toMatchObject({ pending: 1 });
    await expect(queue.add(3)).rejects.toMatchObject({ code: 'NSV_CLOSED' });
  });

  it('is closed once, for everybody who closes it', async () => {
    const queue = opened();
    const { open, opened: opens } = gate();
    const begun = gate();
    queue.process(async () => {
      begun.open();
      await opens;
    });
    await queue.add(1);
    await begun.opened;
    const closed: string[] = [];
    const closing = ['first', 'second'].map(async (name) => {
      await queue.close();
      closed.push(name);
    });
    await after(20);
    expect(closed).toEqual([]);
    open();
    await Promise.all(closing);
    expect(closed).toEqual(['first', 'second']);
  });

  it('closes its store after the calls that were made before', async () => {
    const did: string[] = [];
    const { open, opened: opens } = gate();
    const store = changed(memoryStore(), (name) => {
      if (name === 'close') return async () => void did.push('closed');
      if (name !== 'add') return undefined;
      return async () => {
        await opens;
        did.push('added');
        return true;
      };
    });
    const queue = createQueue('q', { store });
    const added = queue.add(1);
    const closed = queue.close();
    open();
    await Promise.all([added, closed]);
    expect(did).toEqual(['added', 'closed']);
  });

  it('rejects waitFor when it is closed', async () => {
    const queue = opened();
    const { id } = await queue.add(1);
    const waiting = expect(queue.waitFor(id)).rejects.toMatchObject({ code: 'NSV_CLOSED' });
    await queue.close();
    await waiting;
  });

  it('leaves a store open that another queue uses', async () => {
    let isClosed = false;
    const close = async () => {
      isClosed = true;
    };
    const store = changed(memoryStore(), (name) => (name === 'close' ? close : undefined));
    const [one, other] = [createQueue('one', { store }), createQueue('other', { store })];
    await one.close();
    expect(isClosed).toBe(false);
    await other.close();
    expect(isClosed).toBe(true);
  });

  it('continues when its store is back', async () => {
    const real = memoryStore();
    let isGone = false;
    const fails = (what: string) => async () => {
      throw new Error(`cannot ${what}: the store is gone`);
    };
    const store = changed(real, (name) => (isGone && name !== 'watch' ? fails(name) : undefined));
    const queue = opened({ store });
    const { open, opened: opens } = gate();
    const begun = gate();
    queue.process(async () => {
      begun.open();
      await opens;
      return 'done';
    });
    const { id } = await queue.add(1);
    await begun.opened;
    isGone = true;
    await expect(queue.add(2)).rejects.toThrow('cannot add: the store is gone');
    open();
    await after(20);
    isGone = false;
    expect(await queue.waitFor(id)).toBe('done');
    expect((await queue.get(id))!.attempts).toBe(1);
  });
});

describe('waiting for a task', () => {
  it('fails when there is no such task', async () => {
    await expect(opened().waitFor('none-such')).rejects.toMatchObject({
      code: 'NSV_NO_TASK',
      message: 'the queue "q" has no task "none-such"',
    });
  });

  it('can be aborted', async () => {
    const queue = opened();
    const { id } = await queue.add(1);
    const controller = new AbortController();
    const waiting = queue.waitFor(id, { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(queue.waitFor(id, { signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow('before');
  });
});

describe('a handler', () => {
  it('must be a function, and the only one in its process', () => {
    const queue = opened();
    expect(() => queue.process('x' as never)).toThrow('the handler must be a function');
    queue.process(() => undefined);
    expect(() => queue.process(() => undefined)).toThrow('the queue "q" has a handler already in this process');
  });
});

/** Another store for some of its methods. */
function changed(store: Store, instead: (name: string) => unknown): Store {
  return new Proxy(store, {
    get: (target, name: keyof Store) => {
      const value = target[name];
      return instead(name) ?? (typeof value === 'function' ? value.bind(target as never) : value);
    },
  });
}
