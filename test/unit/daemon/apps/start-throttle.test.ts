import { expect, it } from 'vitest';
import { createStartThrottle } from '../../../../src/daemon/apps/start-throttle.ts';

it('the start throttle gives each caller a separate turn of the event loop, in order', async () => {
  let turns = 0;
  const count = () => {
    turns += 1;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  const turn = createStartThrottle();
  const passed: [caller: string, turn: number][] = [];
  await Promise.all(['a', 'b', 'c'].map((caller) => turn().then(() => passed.push([caller, turns]))));
  clearImmediate(counting);
  expect(passed.map(([caller]) => caller)).toEqual(['a', 'b', 'c']);
  expect(new Set(passed.map(([, at]) => at)).size).toBe(3);
});
