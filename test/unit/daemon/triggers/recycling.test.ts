import { beforeEach, describe, expect, it } from 'vitest';
import type { Group } from '../../../../src/daemon/apps/group.ts';
import * as operations from '../../../../src/daemon/apps/operations.ts';
import { everything } from '../../../../src/daemon/apps/registry.ts';
import type { DaemonEvent } from '../../../../src/daemon/events.ts';
import type { MemoryWatch } from '../../../../src/daemon/triggers/memory-guard.ts';
import { attachAge, attachTriggers } from '../../../../src/daemon/triggers/triggers.ts';
import { FakeClock, settle } from '../../../helpers/fake-clock.ts';
import { FakeWorld, pidsOf, quiet, statesOf } from '../../../helpers/fake-host.ts';

const spent = { type: 'request-limit', requests: 95 };
const limits = { maxMemoryRestart: '100M', maxAge: '1h', maxRequests: 100 };

let world: FakeWorld;
let memory: MemoryWatch;
let detach: () => void;

beforeEach(() => {
  world = new FakeWorld();
});

/** New processes listen at once, and the triggers of the settings are attached. */
async function running(settings: Record<string, unknown>): Promise<Group> {
  const group = await world.running(settings);
  world.onLaunch = (child) => child.listens();
  const guard = {
    watch(watch: MemoryWatch) {
      memory = watch;
      return quiet;
    },
  };
  detach = await attachTriggers(group, { ...world.triggerDeps, guard });
  return group;
}

const reported = (type: DaemonEvent['type']) => world.events.filter((event) => event.type === type);

/** Until the first process is too old. */
async function aged(): Promise<void> {
  await world.clock.passes(3_240_000 - 1);
  while (reported('replace').length === 0) await world.elapses(100);
}

/** What each limit does when the first process of the group is over it. */
const crossings = {
  memory: (group: Group) => memory.onExceeded(group.processes[0]!.child!, 200e6),
  age: () => aged(),
  requests: () => world.children[0]!.sends(spent),
};

describe('a process over a limit', () => {
  it.each(['memory', 'age', 'requests'] as const)('is replaced, the new one first: %s', async (limit) => {
    const group = await running(limits);
    await crossings[limit](group);
    await world.elapses(2_000);
    expect(world.log).toEqual(['spawn 1001', 'exit 1000']);
    expect(pidsOf(group)).toEqual([1_001]);
    expect(group.processes[0]!.restarts).toBe(limit === 'memory' ? 1 : 0);
    const reason = expect.stringMatching(/^(memory 190.7mb above limit 100.0mb|\d+m old|95 requests)$/);
    expect(reported('replace')).toEqual([{ type: 'replace', app: 'web', id: 0, slot: 0, reason }]);
  });

  it.each(['memory', 'age', 'requests'] as const)(
    'keeps serving if it cannot be replaced, and is retried after a growing delay: %s',
    async (limit) => {
      const group = await running(limits);
      const attempts: number[] = [];
      world.onLaunch = (child) => {
        attempts.push(world.clock.now());
        child.exits(1);
      };
      await crossings[limit](group);
      await world.elapses(40_000);
      expect(attempts.map((at) => Math.round((at - attempts[0]!) / 1_000))).toEqual([0, 5, 15, 35]);
      expect(pidsOf(group)).toEqual([1_000]);
      expect(statesOf(group)).toEqual(['online']);

      world.onLaunch = (child) => child.listens();
      await world.elapses(60_000);
      expect(world.living.map(({ pid }) => pid)).toEqual(pidsOf(group));
      expect(pidsOf(group)).not.toEqual([1_000]);
    },
  );

  it('emits why it was not replaced, and when it will be retried', async () => {
    const group = await running(limits);
    world.onLaunch = (child) => child.exits(1);
    world.children[0]!.sends(spent);
    await world.elapses(6_000);
    const reason = expect.stringMatching(/^reload of "web" failed: exit code 1/);
    expect(reported('not-replaced')).toEqual([
      { type: 'not-replaced', app: 'web', id: 0, slot: 0, reason, delay: 5_000 },
      { type: 'not-replaced', app: 'web', id: 0, slot: 0, reason, delay: 10_000 },
    ]);
    expect(statesOf(group)).toEqual(['online']);
  });

  it('is replaced before the next one of its group', async () => {
    const group = await running({ maxRequests: 100, instances: 3 });
    for (const child of world.living) child.sends(spent);
    await world.elapses(6_000);
    expect(world.log).toEqual(['spawn 1003', 'exit 1000', 'spawn 1004', 'exit 1001', 'spawn 1005', 'exit 1002']);
    expect(pidsOf(group)).toEqual([1_003, 1_004, 1_005]);
  });

  it('is not replaced if the app is stopped first', async () => {
    const group = await running({ maxRequests: 100 });
    world.onLaunch = (child) => child.exits(1);
    world.children[0]!.sends(spent);
    await world.elapses(1_500);
    await operations.stop(everything(group));
    await world.elapses(60_000);
    expect(world.living).toEqual([]);
    expect(world.children).toHaveLength(2);
    expect(statesOf(group)).toEqual(['stopped']);
  });

  it('is replaced once it has its slot if it is still on trial', async () => {
    const group = await running({ maxRequests: 100 });
    const reloaded = operations.reload(everything(group), {}, quiet);
    await settle();
    world.children[1]!.sends(spent);
    await world.elapses(1_500);
    await reloaded;
    await world.elapses(1_500);
    expect(pidsOf(group)).toEqual([1_002]);
  });

  it('is not replaced when nsv has given up on it', async () => {
    const group = await running({ maxRequests: 100, maxRestarts: 0 });
    world.children[0]!.sends({ type: 'leaving', reason: 'oops' });
    world.children[0]!.sends(spent);
    await world.elapses(4_000);
    expect(world.children).toHaveLength(1);
    world.children[0]!.exits(1);
    expect(statesOf(group)).toEqual(['errored']);
  });

  it('does not reset the restart limit of its app', async () => {
    const group = await running({ maxRequests: 100, maxRestarts: 1 });
    world.children[0]!.exits(1);
    await settle();
    world.children[1]!.sends(spent);
    await world.elapses(1_500);
    expect(pidsOf(group)).toEqual([1_002]);
    expect(group.processes[0]!).toMatchObject({ restarts: 1, planned: 1 });
    world.children[2]!.exits(1);
    expect(statesOf(group)).toEqual(['errored']);
  });

  it('leaves no timer behind once the app is removed', async () => {
    const group = await running({ ...limits, instances: 2 });
    world.onLaunch = (child) => child.exits(1);
    for (const child of world.living) child.sends(spent);
    await world.elapses(1_000);
    detach();
    await operations.remove(group, 'delete');
    expect(world.clock.pending).toBe(0);
  });

  it('is replaced by the next daemon if this one dies first', async () => {
    const group = await running({ maxRequests: 100 });
    world.onLaunch = (child) => child.exits(1);
    world.children[0]!.sends(spent);
    await world.elapses(1_000);
    const next = new FakeWorld();
    next.onLaunch = (child) => child.listens();
    const adopted = next.adopted(group.record());
    while (pidsOf(adopted)[0] === 1_000) {
      await settle();
      await next.clock.passes(1_000);
    }
    expect(next.living.map(({ pid }) => pid)).toEqual(pidsOf(adopted));
  });
});

describe('a memory limit', () => {
  it('ends in a giveup that stops the last process if every process soon exceeds it', async () => {
    const group = await running({ maxMemoryRestart: '100M', maxRestarts: 2 });
    for (const pid of [1_001, 1_002]) {
      crossings.memory(group);
      await world.elapses(2_000);
      expect(pidsOf(group)).toEqual([pid]);
    }
    crossings.memory(group);
    crossings.memory(group);
    await world.elapses(2_000);
    expect(statesOf(group)).toEqual(['errored']);
    expect(world.children).toHaveLength(3);
    expect(world.events.filter(({ type }) => type === 'giveup')).toMatchObject([
      { reason: 'memory 190.7mb above limit 100.0mb; gave up after 2 restarts within 1m' },
    ]);
    expect(group.processes[0]!).toMatchObject({ restarts: 2, planned: 0 });
  });

  it('counts a process once, however often it exceeds it before it can be replaced', async () => {
    const group = await running({ maxMemoryRestart: '100M', maxRestarts: 1 });
    world.onLaunch = (child) => child.exits(1);
    crossings.memory(group);
    await world.elapses(1_000);
    crossings.memory(group);
    await world.elapses(1_000);
    expect(statesOf(group)).toEqual(['online']);
  });

  it('never ends in a giveup with unlimited restarts or without autorestart', async () => {
    for (const settings of [{ maxRestarts: 'unlimited' }, { autorestart: false, maxRestarts: 0 }]) {
      world = new FakeWorld();
      const group = await running({ maxMemoryRestart: '100M', ...settings });
      for (let time = 0; time < 12; time += 1) {
        crossings.memory(group);
        await world.elapses(2_000);
      }
      expect(statesOf(group)).toEqual(['online']);
      expect(pidsOf(group)).toEqual([1_012]);
    }
  });
});

describe('a maximum age', () => {
  it('is randomised per process between 90 % and 100 %, for its successors too', async () => {
    const group = await running({ maxAge: '100s', instances: 20 });
    await world.elapses(89_900);
    expect(world.children).toHaveLength(20);
    await world.elapses(5_000);
    const early = world.children.length;
    expect(early).toBeGreaterThan(20);
    expect(early).toBeLessThan(40);
    await world.elapses(40_000);
    expect(world.children).toHaveLength(40);
    await world.elapses(110_000);
    expect(world.children.length).toBeGreaterThanOrEqual(60);
    expect(group.processes.every(({ restarts }) => restarts === 0)).toBe(true);
  });

  it('ends once for each process, at 90 % to 100 % of it, and not for all at the same time', async () => {
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
});

describe('a request limit', () => {
  it('is randomised per process between 90 % and 100 %', async () => {
    await running({ maxRequests: 1_000, instances: 20 });
    const own = world.children.map(({ sent }) => (sent[0] as { maxRequests: number }).maxRequests);
    expect(Math.min(...own)).toBeGreaterThanOrEqual(900);
    expect(Math.max(...own)).toBeLessThanOrEqual(1_000);
    expect(new Set(own).size).toBeGreaterThan(1);
  });

  it('is off by default, and at least one request', async () => {
    await running({});
    expect(world.children[0]!.sent[0]).toMatchObject({ type: 'hello', maxRequests: 0 });
    world = new FakeWorld();
    await running({ maxRequests: 1 });
    expect(world.children[0]!.sent[0]).toMatchObject({ maxRequests: 1 });
  });

  it('is refused for programs whose requests nsv cannot count', async () => {
    await expect(running({ maxRequests: 100, node: false })).rejects.toMatchObject({
      code: 'BAD_OPTION',
      message: expect.stringMatching(/--max-requests .*"\/app.js"/),
    });
  });
});
