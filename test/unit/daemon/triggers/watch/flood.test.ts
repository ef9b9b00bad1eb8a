import { expect, it } from 'vitest';
import { Flood, mostEvents } from '../../../../../src/daemon/triggers/watch/flood.ts';
import { FakeClock } from '../../../../helpers/fake-clock.ts';

it('more events than that within a second are a flood', async () => {
  const clock = new FakeClock();
  const flood = new Flood(clock);
  const most = () => Array.from({ length: mostEvents }, () => flood.exceeds());
  expect(most()).not.toContain(true);
  expect(flood.exceeds()).toBe(true);
  await clock.passes(1_001);
  expect(most()).not.toContain(true);
});

it('each rest is longer, up to a minute, if another flood follows soon', async () => {
  const clock = new FakeClock();
  const flood = new Flood(clock);
  async function next(after: number): Promise<number> {
    const rest = flood.begin();
    await clock.passes(rest + after);
    return rest;
  }
  const rests: number[] = [];
  for (let time = 0; time < 8; time += 1) rests.push(await next(9_999));
  expect(rests).toEqual([1, 2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * 1_000));
  await clock.passes(1);
  expect(await next(0)).toBe(1_000);
});
