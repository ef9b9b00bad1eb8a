import { beforeEach, describe, expect, it } from 'vitest';
import type { Group } from '../../../src/daemon/apps/group.ts';
import * as operations from '../../../src/daemon/apps/operations.ts';
import { everything, Registry } from '../../../src/daemon/apps/registry.ts';
import type { Daemon } from '../../../src/daemon/daemon.ts';
import { watchOutcome } from '../../../src/run/outcome.ts';
import { settle } from '../../helpers/fake-clock.ts';
import { FakeWorld } from '../../helpers/fake-host.ts';

const once = { autorestart: false };

let world: FakeWorld;
let registry: Registry;
let codes: number[];

beforeEach(() => {
  world = new FakeWorld();
  registry = new Registry();
  codes = [];
});

async function running(name: string, settings: object): Promise<Group> {
  const group = await world.running({ name, ...settings });
  registry.add(group);
  return group;
}

/** Begins as `nsv run` does once all apps are started. */
function watch(exitOn = 'all'): void {
  const onChange = (listener: () => void) => {
    world.onChange = listener;
  };
  const daemon = { registry, events: world.bus, onChange } as unknown as Daemon;
  watchOutcome(daemon, exitOn, (code) => codes.push(code)).begin();
}

describe('nsv run', () => {
  it('exits with the code of an app that exits on its own', async () => {
    await running('web', once);
    watch();
    expect(codes).toEqual([]);
    world.children[0]!.exits(3);
    expect(codes).toEqual([3]);
  });

  it('waits for the other apps by default', async () => {
    await running('web', once);
    await running('worker', once);
    watch();
    world.children[0]!.exits(3);
    expect(codes).toEqual([]);
    world.children[1]!.exits(0);
    expect(codes).toEqual([3]);
  });

  it('keeps running if a command stops the app, which may be started again', async () => {
    const group = await running('web', once);
    watch();
    await operations.stop(everything(group));
    expect(codes).toEqual([]);
  });

  it('exits when the last instance of an app exits, even if a command has stopped another one', async () => {
    const group = await running('web', { ...once, instances: 2 });
    watch();
    await operations.stop({ group, slots: [0] });
    expect(codes).toEqual([]);
    world.children[1]!.exits(0);
    // SIGTERM's: the first code that is not 0.
    expect(codes).toEqual([143]);
  });

  it('exits when a scale leaves only processes that have exited before', async () => {
    const group = await running('web', { ...once, instances: 2 });
    watch();
    world.children[0]!.exits(0);
    await operations.scale(group, 1, () => {});
    expect(codes).toEqual([0]);
  });

  it('waits for another attempt after a giveup', async () => {
    await running('web', { maxRestarts: 0, retryAfter: 60_000 });
    watch();
    world.children[0]!.exits(1);
    await settle();
    expect(codes).toEqual([]);
  });

  it('does not count an app as ended if it was deleted and is about to start under the same name', async () => {
    await running('web', once);
    await running('worker', once);
    watch();
    world.children[0]!.exits(0);
    registry.remove(registry.find('web')!);
    world.bus.emit({ type: 'delete', app: 'web' });
    registry.add(world.group({ name: 'web', ...once }));
    world.children[1]!.exits(0);
    expect(codes).toEqual([]);
  });
});
