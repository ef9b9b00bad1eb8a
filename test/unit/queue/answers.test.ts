import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../queue/index.cjs';
import { answerQuestion } from '../../../src/queue/answers.ts';
import { memoryStore } from '../../../src/queue/index.ts';
import { add, claimed } from '../../integration/queue/on-a-store.ts';

let store: Store;
beforeEach(() => {
  store = memoryStore();
});

const reply = (act: Parameters<typeof answerQuestion>[1]['act'], task?: string) =>
  answerQuestion(store, { name: 'q', place: '', act, ...(task !== undefined && { task }) });

async function failed(id: string, error: string): Promise<void> {
  await add(store, id);
  const { claim } = await claimed(store);
  await store.finish(claim, { state: 'failed', error });
}

describe('the report of a process about a queue', () => {
  it('has counts, and tasks without their data and results', async () => {
    await failed('a', 'TypeError: wrong\n    at line 1');
    for (const id of ['b', 'c', 'd']) await add(store, id, { data: '"secret"' });
    const { claim } = await claimed(store);
    await store.finish(claim, { state: 'completed', result: '"secret"' });
    await store.progress((await claimed(store)).claim, '{"percent":40}');
    const figures = {
      counts: { pending: 1, running: 1, completed: 1, failed: 1, paused: false },
      perMinute: 1,
    };
    expect(await reply('count')).toEqual(figures);
    const at = expect.any(Number);
    expect(await reply('look')).toEqual({
      ...figures,
      running: [{ id: 'c', attempts: 1, startedAt: at, worker: 'here:1', progress: '{"percent":40}' }],
      failed: [{ id: 'a', attempts: 1, finishedAt: at, error: 'TypeError: wrong' }],
      pending: [{ id: 'd', attempts: 0, dueAt: at }],
    });
  });

  it('is short, whatever the tasks are', async () => {
    // A control character takes six as JSON.
    for (let n = 0; n < 100; n += 1) await failed(`f${n}`, '\u0001'.repeat(8_000));
    for (let n = 0; n < 100; n += 1) await add(store, `${n}-`.padEnd(200, 'x'));
    const one = (await reply('look')) as Record<'running' | 'failed' | 'pending', { error?: string }[]>;
    expect([one.failed.length, one.pending.length]).toEqual([15, 15]);
    expect(one.failed[0]!.error).toHaveLength(200);
    for (let n = 0; n < 40; n += 1) await store.progress((await claimed(store)).claim, '\u0001'.repeat(4_000));
    const other = await reply('look');
    expect(JSON.stringify(other).length).toBeLessThan(64 * 1024);
  });

  it('has no throughput if the store does not count it', async () => {
    const without: Store = Object.assign(store, { completedSince: undefined });
    expect(await answerQuestion(without, { name: 'q', place: '', act: 'count' })).toMatchObject({ perMinute: null });
  });
});

describe('a change of a queue on request', () => {
  it('reports how many tasks have changed', async () => {
    await failed('a', 'wrong');
    await failed('b', 'wrong');
    expect(await reply('retry', 'a')).toEqual({ changed: 1 });
    expect(await reply('retry', 'a')).toEqual({ changed: 0 });
    expect(await reply('retry')).toEqual({ changed: 1 });
    expect(await reply('remove', 'a')).toEqual({ changed: 1 });
    expect(await reply('remove', 'a')).toEqual({ changed: 0 });
    expect(await reply('remove')).toEqual({ changed: 0 });
    await reply('pause');
    expect(await store.counts('q')).toMatchObject({ pending: 1, paused: true });
    await reply('resume');
    expect(await store.counts('q')).toMatchObject({ paused: false });
  });
});
