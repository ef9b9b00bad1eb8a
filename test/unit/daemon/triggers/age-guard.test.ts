import { expect, it } from 'vitest';
import type { Group } from '../../../../src/daemon/apps/group.ts';
import { attachAge } from '../../../../src/daemon/triggers/triggers.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';

it('each process is replaced once, at 90 % to 100 % of the maximum age, and not all at the same time', async () => {
  const clock = new FakeClock();
  const ages: number[] = [];
  const start = (since: number) => ({ child: {}, state: { since }, exceed: () => ages.push(clock.now() - since) });
  const processes = Array.from({ length: 20 }, () => start(0));
  const close = attachAge(100_000, { processes } as unknown as Group, { clock });
  await clock.passes(50_000);
  processes.push(start(50_000));
  await clock.passes(39_999);
  expect(ages).toEqual([]);
  await clock.passes(10_001);
  expect(ages).toHaveLength(20);
  await clock.passes(400_000);
  expect(ages).toHaveLength(21);
  for (const age of ages) expect(age).toBeGreaterThanOrEqual(90_000);
  for (const age of ages) expect(age).toBeLessThanOrEqual(100_000);
  expect(new Set(ages).size).toBeGreaterThan(1);
  close();
  expect(clock.pending).toBe(0);
});
