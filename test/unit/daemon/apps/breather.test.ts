import { expect, it } from 'vitest';
import { createBreather } from '../../../../src/daemon/apps/breather.ts';

/** Of callers that take some milliseconds each, all at once: how many have their turn in which turn of the event loop. */
async function turnsOf(callers: number, each: number): Promise<number[]> {
  let now = 0;
  let turns = 0;
  let counting = setImmediate(function count() {
    turns += 1;
    counting = setImmediate(count);
  });
  const breather = createBreather({ now: () => now });
  const passed: [caller: number, turn: number][] = [];
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      await breather();
      passed.push([caller, turns]);
      now += each;
    }),
  );
  clearImmediate(counting);
  expect(passed.map(([caller]) => caller)).toEqual(Array.from({ length: callers }, (_, caller) => caller));
  return [...new Set(passed.map(([, turn]) => turn))].map((turn) => passed.filter(([, at]) => at === turn).length);
}

it('the breather lets callers that take no time pass in one turn of the event loop', async () => {
  expect(await turnsOf(100, 0)).toEqual([100]);
});

it('the breather gives others a turn of the event loop when callers have taken long', async () => {
  const [first = 0, ...others] = await turnsOf(100, 10);
  expect(others.length).toBeGreaterThan(10);
  expect(Math.max(first, ...others)).toBeLessThan(10);
});
