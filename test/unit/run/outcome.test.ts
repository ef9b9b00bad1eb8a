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
let codes: (number | undefined)[];

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
function watch(exitOn = 'all') {
  const onChange = (listener: () => void) => {
    world.onChange = listener;
  };
  const daemon = { registry, events: world.bus, onChange } as unknown as Daemon;
  const names = registry.groups.map(({ name }) => name);
  const outcome = watchOutcome(daemon, names, exitOn, (code) => codes.push(code));
  outcome.begin();
  return outcome;
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

  it('keeps running for the schedule of a job that has finished', async () => {
    await running('web', { ...once, cronRestart: '0 3 * * *' });
    const outcome = watch();
    world.children[0]!.exits(0);
    expect(codes).toEqual([]);
    expect(outcome.codeAfterStop('SIGTERM')).toBe(143);
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

  it('has no exit code of its own once every app was deleted', async () => {
    await running('web', once);
    const outcome = watch();
    registry.remove(registry.find('web')!);
    world.bus.emit({ type: 'delete', app: 'web' });
    expect(codes).toEqual([undefined]);
    expect(outcome.codeAfterStop('SIGTERM')).toBe(143);
  });

  it.each<[string, object, string]>([
    ['exits with 0 as it is asked to', {}, 'asked'],
    ['has ended with 0', once, 'ended'],
    ['is about to run again', { restartDelay: 60_000 }, 'ended'],
  ])('knows the exit code after "nsv kill" of an app that %s', async (_title, settings, end) => {
    const group = await running('web', settings);
    const outcome = watch('other');
    if (end === 'ended') world.children[0]!.exits(0);
    else world.onSignal = (child) => child.exits(0);
    await operations.remove(group, 'kill');
    registry.remove(group);
    expect(outcome.codeAfterStop('SIGTERM')).toBe('restartDelay' in settings ? 143 : 0);
  });
});
