// Other settings for an app that is there, and the commands around its life.
import { beforeEach, describe, expect, it } from 'vitest';
import type { AppSettings } from '../../../../src/config/app-spec.ts';
import { differingForGood } from '../../../../src/config/difference.ts';
import type { Group } from '../../../../src/daemon/apps/group.ts';
import { updateInPlace } from '../../../../src/daemon/apps/managed-apps.ts';
import * as operations from '../../../../src/daemon/apps/operations.ts';
import { everything } from '../../../../src/daemon/apps/registry.ts';
import { settle } from '../../../helpers/fake-clock.ts';
import { FakeWorld, pidsOf, quiet, statesOf } from '../../../helpers/fake-host.ts';

let world: FakeWorld;
const changed = (group: Group, settings: AppSettings, how: 'restart' | 'reload' = 'reload') =>
  updateInPlace(group, { app: { ...group.spec, ...settings }, how, parallel: 1 }, quiet);

beforeEach(() => {
  world = new FakeWorld();
  world.onLaunch = (child) => child.listens();
});

/** A reload looks at the first new process for a second. */
async function proven<T>(result: Promise<T>): Promise<T> {
  await settle();
  await world.clock.passes(1_000);
  await settle();
  return result;
}

describe('an update', () => {
  it('passes the settings to new processes, and keeps the slots', async () => {
    const group = await world.running({ instances: 2, fileEnv: { A: '1' } });
    await proven(changed(group, { fileEnv: { A: '2' }, killTimeout: 9 }));
    expect(pidsOf(group)).toEqual([1_002, 1_003]);
    expect(group.spec).toMatchObject({ fileEnv: { A: '2' }, killTimeout: 9, instances: 2 });
    expect(world.children[3]!.plan.spec.fileEnv).toEqual({ A: '2' });
  });

  it('changes the number of instances too', async () => {
    const group = await world.running({ instances: 2 });
    await proven(changed(group, { instances: 1, killTimeout: 9 }));
    expect(statesOf(group)).toEqual(['online']);
    expect(group.spec).toMatchObject({ instances: 1, killTimeout: 9 });
  });

  it('keeps the old settings if the new process fails', async () => {
    const group = await world.running();
    world.onLaunch = (child) => child.exits(1);
    await expect(changed(group, { fileEnv: { A: '2' } })).rejects.toMatchObject({ code: 'RELOAD_FAILED' });
    expect(group.spec.fileEnv).toEqual({});
    expect(pidsOf(group)).toEqual([1_000]);
  });

  it('judges the new process by the new settings', async () => {
    const group = await world.running({ listenTimeout: 60_000 });
    world.onLaunch = () => {};
    const failed = expect(changed(group, { listenTimeout: 5_000 })).rejects.toMatchObject({ code: 'RELOAD_FAILED' });
    await settle();
    await world.clock.passes(5_000);
    await failed;
    expect(pidsOf(group)).toEqual([1_000]);
  });

  it('takes as long with any minimum uptime, and so does a start', async () => {
    world.onLaunch = () => {};
    const group = world.group({ minUptime: 600_000 });
    const launched = operations.launch(group, true, () => {});
    await settle();
    await world.clock.passes(3_000);
    await launched;
    await proven(changed(group, { killTimeout: 9 }));
    expect(pidsOf(group)).toEqual([1_001]);
  });

  it('needs a new group only for settings of the sockets', async () => {
    const { spec } = await world.running();
    expect(differingForGood(spec, { ...spec, schedule: 'rr', killTimeout: 1 })).toEqual(['schedule']);
    expect(differingForGood(spec, { ...spec, killTimeout: 1, instances: 7, fileEnv: { A: '1' } })).toEqual([]);
  });
});

describe('pre_start', () => {
  it('runs once before a command starts anything, but not before an automatic restart', async () => {
    const group = await world.running({ preStart: 'migrate', instances: 2 });
    await operations.restart(everything(group), undefined, quiet);
    expect(world.log.filter((line) => line === 'migrate')).toHaveLength(1);
    expect(world.log[0]).toBe('migrate');
    world.children[2]!.exits(1);
    await settle();
    expect(world.log.filter((line) => line === 'migrate')).toHaveLength(1);
  });

  it('leaves everything unchanged if it fails', async () => {
    const group = await world.running();
    world.hookProblem = 'exit code 1';
    await expect(changed(group, { preStart: 'migrate' })).rejects.toMatchObject({
      code: 'HOOK_FAILED',
      output: ['it said so'],
    });
    expect(world.log).toEqual(['migrate']);
    expect(group.spec.preStart).toBeUndefined();
  });
});

describe('post_stop', () => {
  it('runs once, when the last process of an app is gone', async () => {
    const group = await world.running({ postStop: 'clean', instances: 2 });
    await operations.stop({ group, slots: [0] });
    expect(world.log).not.toContain('clean');
    await operations.stop({ group, slots: [1] });
    expect(world.log.at(-1)).toBe('clean');
    await operations.remove(group, 'delete');
    expect(world.log.filter((line) => line === 'clean')).toHaveLength(1);
  });

  it('is a problem of the app if it fails, until it succeeds, and does not make the stop fail', async () => {
    const group = await world.running({ postStop: 'clean' });
    world.hookProblem = 'exit code 1';
    await operations.stop(everything(group));
    const detail = 'the command "clean" failed: exit code 1';
    expect(world.events).toContainEqual({ type: 'problem', app: 'web', about: 'post_stop', detail });
    expect(group.problems.views()).toEqual([{ about: 'post_stop', detail, ago: expect.any(Number) }]);
    world.hookProblem = undefined;
    await operations.start(everything(group), undefined, false, () => {});
    await operations.stop(everything(group));
    expect(group.problems.views()).toEqual([]);
  });
});
