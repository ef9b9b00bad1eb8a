// The restarts of programs that fail again and again, all together.
import { describe, expect, it } from 'vitest';
import type { Group } from '../../../../src/daemon/apps/group.ts';
import { createRestartRate } from '../../../../src/daemon/process/restart-rate.ts';
import { FakeClock, settle } from '../../../helpers/fake-clock.ts';
import { FakeWorld } from '../../../helpers/fake-host.ts';

const afterQuiet = 20;

describe('the rate of restarts', () => {
  it.each([
    [1, 100],
    [2, 50],
    [4, 25],
    [64, 20],
  ])('allows each one some time of all CPUs: with %i of them %i ms', (cpus, gap) => {
    const rate = createRestartRate(new FakeClock(), () => cpus);
    const waits = Array.from({ length: afterQuiet + 3 }, () => {
      const wait = rate.wait();
      rate.count();
      return wait;
    });
    expect(waits).toEqual([...Array(afterQuiet + 1).fill(0), gap, 2 * gap]);
  });

  it('is as before once nothing has failed for as long as that takes', async () => {
    const clock = new FakeClock();
    const rate = createRestartRate(clock, () => 2);
    for (let count = 0; count < 100; count += 1) rate.count();
    expect(rate.wait()).toBe(80 * 50);
    await clock.passes(80 * 50);
    expect(rate.wait()).toBe(0);
  });

  it('has room again for restarts that do not happen', () => {
    const rate = createRestartRate(new FakeClock(), () => 2);
    for (let count = 0; count < 100; count += 1) rate.count();
    for (let count = 0; count < 70; count += 1) rate.giveBack();
    expect(rate.wait()).toBe(10 * 50);
  });
});

describe('programs that fail again and again', () => {
  /** They fail as soon as they are started. */
  async function failing(world: FakeWorld, count: number): Promise<Group[]> {
    world.onLaunch = (child) => child.plan.spec.name !== 'web' && child.exits(1);
    const groups = Array.from({ length: count }, (_, number) =>
      world.group({ name: `failing-${number}`, maxRestarts: Number.MAX_SAFE_INTEGER }),
    );
    for (const group of groups) for (const process of group.processes) process.start();
    return groups;
  }

  it.each([
    [20, 1_000],
    [100, 5_000],
  ])('wait the longer, the more they are: %i of them for %i ms', async (count, delay) => {
    const world = new FakeWorld();
    await failing(world, count);
    for (let second = 0; second < 20; second += 1) await passes(world, 1_000);
    const restarts = world.events.filter(({ type }) => type === 'restart');
    expect(restarts.at(-1)).toMatchObject({ reason: 'too many restarts at a time', delay });
    expect(new Set(restarts.slice(-count).map((event) => 'app' in event && event.app)).size).toBe(count);
  });

  it('do not delay others any more once a command has stopped them', async () => {
    const world = new FakeWorld();
    const groups = await failing(world, 100);
    await passes(world, 10_000);
    expect(world.host.restartRate.wait()).toBeGreaterThan(4_000);
    for (const group of groups) for (const process of group.processes) process.stop({ cause: 'asked' });
    await passes(world, 100);
    expect(world.host.restartRate.wait()).toBe(0);
  });

  it('do not delay the restart of a program that has run for ten seconds', async () => {
    const world = new FakeWorld();
    const web = await world.running({ name: 'web' });
    await passes(world, 10_000);
    await failing(world, 100);
    await passes(world, 2_000);
    world.living.find(({ plan }) => plan.spec.name === 'web')!.exits(1);
    await settle(2);
    expect(web.processes[0]!.state.kind).toBe('starting');
  });
});

async function passes(world: FakeWorld, ms: number): Promise<void> {
  for (let step = 0; step < ms / 50; step += 1) {
    await settle(2);
    await world.clock.passes(50);
  }
}
