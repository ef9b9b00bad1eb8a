import { beforeEach, describe, expect, it } from 'vitest';
import * as operations from '../../../../src/daemon/apps/operations.ts';
import { everything } from '../../../../src/daemon/apps/registry.ts';
import { settle } from '../../../helpers/fake-clock.ts';
import { FakeWorld, pidsOf, quiet, statesOf } from '../../../helpers/fake-host.ts';

let world: FakeWorld;

beforeEach(() => {
  world = new FakeWorld();
});

describe('scale', () => {
  it('adds instances in the next slots, and removes the highest', async () => {
    const group = await world.running();
    const scaled = operations.scale(group, 3, quiet);
    await settle();
    for (const child of world.living) child.listens();
    await scaled;
    expect(group.processes.map(({ slot, id }) => [slot, id])).toEqual([
      [0, 0],
      [1, 1],
      [2, 2],
    ]);
    await operations.scale(group, 1, quiet);
    expect(pidsOf(group)).toEqual([1_000]);
    expect(group.spec.instances).toBe(1);
  });

  it('starts instances that were stopped by id or left stopped by an interrupted command', async () => {
    const group = await world.running({ instances: 3 });
    world.onLaunch = (child) => child.listens();
    await operations.stop({ group, slots: [1] });
    group.resize(4);
    await operations.scale(group, 4, quiet);
    expect(statesOf(group)).toEqual(['online', 'online', 'online', 'online']);
    expect(pidsOf(group)).toEqual([1_000, 1_003, 1_002, 1_004]);
  });

  it('retries instances that nsv gave up on, and reports why they fail', async () => {
    const group = await world.running({ instances: 2, maxRestarts: 0 });
    world.children[1]!.exits(1);
    const failing = expect(operations.scale(group, 2, quiet)).rejects.toMatchObject({
      code: 'NOT_READY',
      message: expect.stringContaining('exit code 3'),
    });
    await settle();
    world.children[2]!.exits(3);
    await failing;
  });

  it('leaves a finished job finished', async () => {
    const group = await world.running({ instances: 2, autorestart: false });
    world.onLaunch = (child) => child.listens();
    world.children[1]!.exits(0);
    await operations.scale(group, 3, quiet);
    expect(statesOf(group)).toEqual(['online', 'stopped', 'online']);
  });

  it('stops no instance before the remaining ones run', async () => {
    const group = await world.running({ instances: 2 });
    await operations.stop({ group, slots: [0] });
    world.log.length = 0;
    const scaled = operations.scale(group, 1, quiet);
    await settle();
    expect(world.log).toEqual(['sockets open', 'spawn 1002']);
    world.children[2]!.listens();
    await scaled;
    expect(pidsOf(group)).toEqual([1_002]);
    expect(world.log).not.toContain('sockets close');
  });

  it('stops no instance if the remaining ones do not start', async () => {
    const group = await world.running({ instances: 2, maxRestarts: 0 });
    await operations.stop({ group, slots: [0] });
    const failing = expect(operations.scale(group, 1, quiet)).rejects.toMatchObject({ code: 'NOT_READY' });
    await settle();
    world.children[2]!.exits(1);
    await failing;
    expect(pidsOf(group)).toEqual([undefined, 1_001]);
  });

  it('starts no instance of a stopped app, and prints a note', async () => {
    const group = await world.running();
    await operations.stop(everything(group));
    const reported: string[] = [];
    await operations.scale(group, 3, (text, isLasting) => isLasting && reported.push(text));
    expect(statesOf(group)).toEqual(['stopped', 'stopped', 'stopped']);
    expect(reported).toEqual(['web is not running: run "nsv start web" to start its 3 instances']);
  });
});
