// What every store has to do. Call `describeStore` in a test file of your own to check yours.
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Store, StoredTask } from '../../../queue/index.cjs';
import { eventually } from '../../helpers/eventually.ts';
import { add, claimed, how, ids, opening, soon } from './on-a-store.ts';
import { describeEnds } from './store-ends.suite.ts';

/** `open` returns another connection to the same store each time, if it can have several. */
export function describeStore(name: string, open: () => Promise<Store>) {
  describe(`the ${name} store`, () => {
    const { opened, withTasks } = opening(open);

    it('keeps a task as it was added', async () => {
      const store = await opened();
      await store.add('q', { id: 'a', data: '{"n":1}', delay: 0, priority: 0 });
      const task = await store.get('q', 'a');
      expect(task).toEqual({
        ...{ id: 'a', state: 'pending', data: '{"n":1}', failures: 0, deaths: 0 },
        ...{ addedAt: expect.any(Number), dueAt: expect.any(Number) },
      });
      expect(await store.get('q', 'b')).toBeUndefined();
    });

    it('adds a task with the same id only once, whatever its state', async () => {
      const store = await withTasks('a');
      await add(store, 'a', { data: '"other"' });
      expect(await store.get('q', 'a')).toMatchObject({ data: 'null' });
      const { claim } = await claimed(store);
      await add(store, 'a');
      await store.finish(claim, { state: 'completed', result: '1' });
      await add(store, 'a');
      expect(await store.counts('q')).toMatchObject({ pending: 0, completed: 1 });
    });

    it('keeps queues apart', async () => {
      const store = await withTasks('a');
      await store.add('p', { id: 'a', data: '"p"', delay: 0, priority: 0 });
      expect((await claimed(store, {}, 'p')).task).toMatchObject({ id: 'a', data: '"p"', state: 'running' });
      expect(await store.counts('q')).toMatchObject({ pending: 1, running: 0 });
    });

    it('hands out tasks by priority, and in the order in which they were added', async () => {
      const store = await opened();
      await add(store, 'later', { priority: 5 });
      await add(store, 'first');
      await add(store, 'second');
      await add(store, 'latest', { priority: 6 });
      expect(await ids(store, 4)).toEqual(['first', 'second', 'later', 'latest']);
      expect(await store.claim('q', how)).toEqual({ retryIn: undefined });
    });

    it('reports when the next task is due, and hands it out then', async () => {
      const store = await opened();
      await add(store, 'a', { delay: 300 });
      const early = await store.claim('q', how);
      expect(early).toEqual({ retryIn: expect.any(Number) });
      expect((early as { retryIn: number }).retryIn).toBeGreaterThan(0);
      expect((await store.get('q', 'a'))!.state).toBe('pending');
      expect((await soon(store)).task.id).toBe('a');
    });

    it('hands out others beside a task that is due in a hundred years', async () => {
      const store = await opened();
      await add(store, 'far', { delay: 100 * 365 * 86_400_000 });
      await add(store, 'near');
      expect((await claimed(store)).task.id).toBe('near');
      expect(await store.claim('q', how)).toEqual({ retryIn: expect.any(Number) });
      expect(await store.list('q', 'pending', 10)).toMatchObject([{ id: 'far', dueAt: expect.any(Number) }]);
    });

    it('hands out as many tasks as may run at a time, and the next when one is finished', async () => {
      const store = await withTasks('a', 'b', 'c');
      const two = { concurrency: 2 };
      const { claim } = await claimed(store, two);
      await claimed(store, two);
      expect(await store.claim('q', { ...how, ...two })).toEqual({ retryIn: undefined });
      await store.finish(claim, { state: 'completed', result: undefined });
      expect((await claimed(store, two)).task.id).toBe('c');
    });

    it('hands out no more tasks within a time than the rate limit allows', async () => {
      const store = await withTasks('a', 'b', 'c', 'd', 'e', 'f');
      const begun: number[] = [];
      for (let n = 0; n < 6; n += 1) begun.push((await soon(store, { limit: { max: 2, per: 200 } })).task.startedAt!);
      // Of any three that follow each other, the third is of another span of time.
      for (let n = 2; n < 6; n += 1) expect(begun[n]! - begun[n - 2]!).toBeGreaterThanOrEqual(200);
    });

    it('hands out each task once, however many ask', async () => {
      const store = await opened();
      const others = await Promise.all([opened(), opened(), opened()]);
      const names = Array.from({ length: 40 }, (_, n) => `t${n}`);
      await Promise.all(names.map((id) => add(store, id)));
      const all = await Promise.all(
        [store, ...others].map(async (one) => {
          const own: string[] = [];
          for (;;) {
            const answer = await one.claim('q', how);
            if (!('task' in answer)) return own;
            own.push(answer.task.id);
          }
        }),
      );
      // A memory store is one, so that the others have nothing to hand out.
      const found = all.flat().sort();
      expect(found).toEqual(names.sort());
    });

    it('hands out nothing while the queue is paused', async () => {
      const store = await withTasks('a');
      await store.pause('q', true);
      await store.pause('q', true);
      expect(await store.counts('q')).toMatchObject({ pending: 1, paused: true });
      expect(await store.claim('q', how)).toEqual({ retryIn: undefined });
      await store.pause('q', false);
      expect((await claimed(store)).task.id).toBe('a');
      expect((await store.counts('q')).paused).toBe(false);
    });

    it('removes tasks that are not running', async () => {
      const store = await withTasks('a', 'b', 'c');
      await claimed(store);
      const { claim } = await claimed(store);
      await store.finish(claim, { state: 'failed', error: 'wrong' });
      expect(await store.remove('q', 'a')).toBe(false);
      expect(await store.remove('q', 'b')).toBe(true);
      expect(await store.remove('q', 'c')).toBe(true);
      expect(await store.remove('q', 'none')).toBe(false);
      expect(await store.counts('q')).toMatchObject({ pending: 0, running: 1, failed: 0 });
    });

    it('removes tasks that were completed long ago', async () => {
      const store = await withTasks('a', 'b');
      const { claim } = await claimed(store);
      await store.finish(claim, { state: 'completed', result: undefined });
      await store.removeCompleted('q', 60_000);
      expect((await store.counts('q')).completed).toBe(1);
      await eventually(async () => {
        await store.removeCompleted('q', 0);
        return (await store.counts('q')).completed === 0;
      }, 'the completed task is gone');
      expect((await store.counts('q')).pending).toBe(1);
    });

    it('counts the tasks completed since a moment, if it supports that', async () => {
      const store = await withTasks('a', 'b', 'c');
      if (!store.completedSince) return;
      for (const state of ['completed', 'released'] as const)
        await store.finish((await claimed(store)).claim, { state, result: undefined });
      const { finishedAt } = (await store.list('q', 'completed', 1))[0]!;
      expect(await store.completedSince('q', finishedAt! - 1)).toBe(1);
      expect(await store.completedSince('q', finishedAt!)).toBe(0);
      expect(await store.completedSince('other', 0)).toBe(0);
    });

    it('lists pending tasks in order, and running ones', async () => {
      const store = await withTasks('a', 'b', 'c');
      await add(store, 'd', { delay: 60_000 });
      const list = async (state: StoredTask['state']) => (await store.list('q', state, 2)).map(({ id }) => id);
      expect(await list('pending')).toEqual(['a', 'b']);
      await claimed(store);
      expect(await list('running')).toEqual(['a']);
      expect((await store.list('q', 'pending', 10)).map(({ id }) => id)).toEqual(['b', 'c', 'd']);
      expect(await store.list('q', 'pending', 0)).toEqual([]);
    });

    it('reports changes', async () => {
      const store = await opened();
      if (!store.watch) return;
      await store.counts('q');
      let calls = 0;
      const end = store.watch('q', () => {
        calls += 1;
      });
      onTestFinished(end);
      await eventually(async () => {
        await add(store, `t${calls}-${performance.now()}`.replace('.', '-'));
        return calls > 0;
      }, 'a change is told');
    });

    describeEnds(open);
  });
}
