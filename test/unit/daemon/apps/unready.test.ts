import { describe, expect, it } from 'vitest';
import * as operations from '../../../../src/daemon/apps/operations.ts';
import { everything } from '../../../../src/daemon/apps/registry.ts';
import { settle } from '../../../helpers/fake-clock.ts';
import { FakeWorld, pidsOf, quiet, statesOf } from '../../../helpers/fake-host.ts';

describe('a reload of what is not ready', () => {
  it('replaces no process that is ready, and waits for those that are starting', async () => {
    const world = new FakeWorld();
    const group = await world.running({ instances: 4, waitReady: true });
    world.children[1]!.exits(1);
    await operations.stop({ group, slots: [2] });
    const restarted = operations.restart({ group, slots: [3] }, undefined, quiet).catch(() => {});
    await settle();
    await settle();
    expect(statesOf(group)).toEqual(['online', 'starting', 'stopped', 'starting']);
    const [again, starting] = world.children.slice(-2);
    const reloaded = operations.reload(everything(group), { only: 'unready' }, quiet);
    again!.says('ready');
    starting!.says('ready');
    await restarted;
    await settle();
    const [repaired] = world.children.slice(-1);
    repaired!.says('ready');
    await world.clock.passes(1_000);
    await reloaded;
    expect(pidsOf(group)).toEqual([1_000, again!.pid, repaired!.pid, starting!.pid]);
  });
});
