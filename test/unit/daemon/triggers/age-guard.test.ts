import { expect, it } from 'vitest';
import type { Child } from '../../../../src/daemon/launch/launcher.ts';
import { watchAge } from '../../../../src/daemon/triggers/age-guard.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';

it('an age is told once for each process, between 90 % and 100 % of the limit, and not for all at the same time', async () => {
  const clock = new FakeClock();
  const start = (since: number) => ({ child: { pid: since } as Child, since });
  const processes = Array.from({ length: 20 }, () => start(0));
  const told = new Map<Child, number[]>();
  const close = watchAge({
    clock,
    limit: 100_000,
    processes: () => processes,
    onExceeded: ({ child }, age) => told.set(child, [...(told.get(child) ?? []), age]),
  });
  await clock.passes(50_000);
  const late = start(50_000);
  processes.push(late);
  await clock.passes(39_999);
  expect(told.size).toBe(0);
  await clock.passes(10_001);
  expect(told.size).toBe(20);
  await clock.passes(400_000);
  const ages = [...told.values()].flat();
  expect(ages).toHaveLength(21);
  for (const age of ages) expect(age).toBeGreaterThanOrEqual(90_000);
  for (const age of ages) expect(age).toBeLessThanOrEqual(100_000);
  expect(new Set(ages).size).toBeGreaterThan(1);
  close();
  expect(clock.pending).toBe(0);
});
