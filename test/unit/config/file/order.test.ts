import { describe, expect, it } from 'vitest';
import { findCycle, inOrder } from '../../../../src/config/file/order.ts';

const app = (name: string, ...dependsOn: string[]) => ({ name, dependsOn });

describe('a cycle', () => {
  it.each([
    [[app('a', 'a')], ['a', 'a']],
    [
      [app('x', 'a'), app('a', 'b'), app('b', 'c'), app('c', 'a')],
      ['a', 'b', 'c', 'a'],
    ],
    [[app('a', 'b', 'c'), app('b', 'd'), app('c', 'd'), app('d')], undefined],
    [[app('a', 'not there')], undefined],
  ])('is found in dependencies: %j has %j', (apps, cycle) => {
    expect(findCycle(apps)).toEqual(cycle);
  });
});

describe('inOrder', () => {
  it('runs each app once its dependencies are done, and waits for nothing else', async () => {
    const said: string[] = [];
    const ends = new Map<string, () => void>();
    const run = inOrder([app('web', 'db'), app('db'), app('cache')], async ({ name }) => {
      said.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      return name;
    });
    await Promise.resolve();
    expect(said).toEqual(['db', 'cache']);
    ends.get('db')!();
    await new Promise(setImmediate);
    expect(said).toEqual(['db', 'cache', 'web']);
    for (const end of ends.values()) end();
    expect(await run).toEqual([{ done: 'web' }, { done: 'db' }, { done: 'cache' }]);
  });

  it('skips apps that depend on a failed one, directly or not', async () => {
    const broken = new Error('no');
    const fates = await inOrder([app('web', 'api'), app('api', 'db'), app('db'), app('other')], async ({ name }) => {
      if (name === 'db') throw broken;
      return name;
    });
    expect(fates).toEqual([{ skipped: 'api' }, { skipped: 'db' }, { failed: broken }, { done: 'other' }]);
  });
});
