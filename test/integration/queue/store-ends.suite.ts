// What every store has to do when an attempt ends, in whatever way.
import { expect, it } from 'vitest';
import type { RunningTask, Store } from '../../../queue/index.cjs';
import { claimed, opening, soon, takenBack } from './on-a-store.ts';

export function describeEnds(open: () => Promise<Store>) {
  const { withTasks } = opening(open);

  it('keeps the result of a task', async () => {
    const store = await withTasks('a');
    const { claim, task } = await claimed(store);
    expect(task).toMatchObject({ state: 'running', worker: 'here:1', startedAt: expect.any(Number) });
    expect(await store.progress(claim, '50')).toBe(true);
    expect((await store.get('q', 'a'))!.progress).toBe('50');
    expect(await store.finish(claim, { state: 'completed', result: '{"ok":true}' })).toBe(true);
    const done = (await store.get('q', 'a'))!;
    expect(done).toMatchObject({ state: 'completed', result: '{"ok":true}', finishedAt: expect.any(Number) });
    expect(done).not.toHaveProperty('worker');
    expect(done).not.toHaveProperty('startedAt');
  });

  it('ignores a claim that is finished', async () => {
    const store = await withTasks('a');
    const { claim } = await claimed(store);
    await store.finish(claim, { state: 'completed', result: '1' });
    expect(await store.finish(claim, { state: 'failed', error: 'late' })).toBe(false);
    expect(await store.renew('q', [claim])).toEqual([]);
    expect(await store.progress(claim, '1')).toBe(false);
    expect((await store.get('q', 'a'))!.state).toBe('completed');
  });

  it('ignores a claim on a task that has been claimed again since', async () => {
    const store = await withTasks('a');
    const { claim } = await claimed(store);
    expect(await takenBack(store)).toBe(1);
    const { claim: second } = await claimed(store, { owner: 'two' });
    expect(second.token).toBeGreaterThan(claim.token);
    expect(await store.renew('q', [claim])).toMatchObject([{ id: 'a', token: second.token, owner: 'two' }]);
    expect(await store.progress(claim, '1')).toBe(false);
    expect(await store.finish(claim, { state: 'completed', result: '"first"' })).toBe(false);
    expect(await store.finish(second, { state: 'completed', result: '"second"' })).toBe(true);
    expect((await store.get('q', 'a'))!.result).toBe('"second"');
  });

  it('repeats a failed attempt after its delay', async () => {
    const store = await withTasks('a');
    const { claim } = await claimed(store);
    await store.finish(claim, { state: 'retry', error: 'no luck', delay: 100 });
    expect((await store.get('q', 'a'))!).toMatchObject({ state: 'pending', failures: 1, error: 'no luck' });
    expect((await soon(store)).task).toMatchObject({ id: 'a', failures: 1, deaths: 0 });
  });

  it('counts nothing when a task is given back, and hands it out next', async () => {
    const store = await withTasks('a', 'b');
    const { claim } = await claimed(store);
    await store.finish(claim, { state: 'released' });
    expect((await claimed(store)).task).toMatchObject({ id: 'a', failures: 0, deaths: 0 });
  });

  it('keeps failed tasks, and puts them back with all their attempts', async () => {
    const store = await withTasks('a', 'b');
    for (const id of ['a', 'b']) {
      const { claim } = await claimed(store);
      await store.finish(claim, { state: 'failed', error: `${id} is wrong` });
    }
    const failed = await store.list('q', 'failed', 10);
    expect(failed.map(({ id, error }) => [id, error]).sort()).toEqual([
      ['a', 'a is wrong'],
      ['b', 'b is wrong'],
    ]);
    expect(await store.retry('q', 'a')).toBe(1);
    expect(await store.retry('q', 'a')).toBe(0);
    expect((await claimed(store)).task).toMatchObject({ id: 'a', failures: 0 });
    expect(await store.retry('q')).toBe(1);
    expect(await store.counts('q')).toMatchObject({ pending: 1, running: 1, failed: 0 });
  });

  it('shows what runs, and whether it is renewed', async () => {
    const store = await withTasks('a', 'b');
    const { claim } = await claimed(store, { owner: 'one' });
    await claimed(store, { owner: 'two' });
    const before = byId(await store.renew('q', []));
    expect(before).toMatchObject([
      { id: 'a', token: claim.token, owner: 'one' },
      { id: 'b', owner: 'two' },
    ]);
    const after = byId(await store.renew('q', [claim]));
    expect(after.map(({ beat }, at) => beat === before[at]!.beat)).toEqual([false, true]);
    expect(await store.renew('none', [])).toEqual([]);
  });

  it('puts back the tasks that nobody has renewed meanwhile, and no others', async () => {
    const store = await withTasks('a', 'b', 'c');
    const { claim } = await claimed(store);
    const { claim: second } = await claimed(store);
    await claimed(store);
    const seen = await store.renew('q', []);
    await store.renew('q', [claim]);
    await store.finish(second, { state: 'completed', result: undefined });
    expect(await store.release('q', seen)).toBe(1);
    expect(await store.release('q', seen)).toBe(0);
    expect(await store.get('q', 'a')).toMatchObject({ state: 'running', deaths: 0 });
    expect(await store.get('q', 'b')).toMatchObject({ state: 'completed', deaths: 0 });
    const lost = (await store.get('q', 'c'))!;
    expect(lost).toMatchObject({ state: 'pending', deaths: 1 });
    expect(lost).not.toHaveProperty('worker');
    expect((await claimed(store)).task.id).toBe('c');
  });

  it('fails a task after the third process that died with it', async () => {
    const store = await withTasks('a');
    for (const deaths of [1, 2]) {
      await claimed(store);
      await takenBack(store);
      expect(await store.get('q', 'a')).toMatchObject({ state: 'pending', deaths });
    }
    await claimed(store);
    await takenBack(store);
    const failed = await store.get('q', 'a');
    expect(failed).toMatchObject({ state: 'failed', finishedAt: expect.any(Number) });
    expect(failed!.error).toMatch('3 processes died');
  });
}

function byId(tasks: readonly RunningTask[]): RunningTask[] {
  return tasks.toSorted((one, other) => one.id.localeCompare(other.id));
}
