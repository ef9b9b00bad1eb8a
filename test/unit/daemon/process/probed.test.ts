// What a ready probe means for the life of a process.
import { beforeEach, describe, expect, it } from 'vitest';
import { isGroupReady } from '../../../../src/daemon/apps/app-readiness.ts';
import type { Group } from '../../../../src/daemon/apps/group.ts';
import { launch } from '../../../../src/daemon/apps/operations.ts';
import { viewStanding } from '../../../../src/daemon/control/view.ts';
import { settle } from '../../../helpers/fake-clock.ts';
import { FakeWorld, statesOf } from '../../../helpers/fake-host.ts';

let world: FakeWorld;
beforeEach(() => {
  world = new FakeWorld();
});

/** An app whose process listens and calls itself ready, but whose probe has not said anything. */
async function starting(settings: Record<string, unknown> = {}): Promise<{ group: Group; launched: Promise<void> }> {
  const group = world.group({ readyProbe: 'tcp://:3000', ...settings });
  const launched = launch(group, true, () => {});
  launched.catch(() => {});
  await settle();
  for (const child of world.living) {
    child.listens();
    child.says('ready');
  }
  return { group, launched };
}

async function online(): Promise<Group> {
  const { group, launched } = await starting();
  group.processes[0]!.probed(null);
  await launched;
  return group;
}

describe('a process with a ready probe', () => {
  it('is online only when the probe succeeds, whatever the app reports and however long it runs', async () => {
    const { group, launched } = await starting();
    await world.clock.passes(20_000);
    expect(statesOf(group)).toEqual(['starting']);
    group.processes[0]!.probed('no');
    expect([statesOf(group), isGroupReady(group)]).toEqual([['starting'], false]);
    group.processes[0]!.probed(null);
    await launched;
    expect([statesOf(group), isGroupReady(group)]).toEqual([['online'], true]);
  });

  it('fails its start with the reason of the probe, and can become ready later', async () => {
    const { group, launched } = await starting({ listenTimeout: 5_000 });
    group.processes[0]!.probed('status 500');
    await world.clock.passes(5_000);
    await expect(launched).rejects.toThrow('not ready within 5s: status 500');
    group.processes[0]!.probed(null);
    expect(statesOf(group)).toEqual(['online']);
  });

  it('is not ready while the probe fails, and emits each change once', async () => {
    const group = await online();
    const [process] = group.processes;
    world.log.length = 0;
    process!.probed('status 500');
    process!.probed('status 502');
    expect(isGroupReady(group)).toBe(false);
    expect(viewStanding(group, process!)).toMatchObject({ status: 'online', unready: 'status 502' });
    process!.probed(null);
    process!.probed(null);
    expect(isGroupReady(group)).toBe(true);
    expect(viewStanding(group, process!)).not.toHaveProperty('unready');
    const reported = world.events.filter(({ type }) => type === 'not-ready' || type === 'ready-again');
    expect(reported).toMatchObject([{ type: 'not-ready', reason: 'status 500', slot: 0 }, { type: 'ready-again' }]);
    // It leaves the queue again if it has come back by itself.
    const { pid } = process!.child!;
    expect(world.log).toEqual([`queue without ${pid}`, `queue without ${pid}`, `queue with ${pid}`]);
  });

  it('is notified when the probe fails, and when it succeeds again', async () => {
    const group = await online();
    const child = world.living[0]!;
    child.sent.length = 0;
    group.processes[0]!.probed('status 500');
    group.processes[0]!.probed(null);
    expect(child.sent).toMatchObject([
      { type: 'unready', on: true },
      { type: 'unready', on: false },
    ]);
  });

  it('is ready only when the app agrees', async () => {
    const group = await online();
    const child = world.living[0]!;
    child.sends({ type: 'readiness', ready: false, reason: 'no database' });
    group.processes[0]!.probed('status 500');
    group.processes[0]!.probed(null);
    expect(group.processes[0]!.unready).toBe('no database');
    child.sends({ type: 'readiness', ready: true, reason: '' });
    expect(group.processes[0]!.unready).toBeNull();
  });

  it('has the failure of the probe in its record', async () => {
    const group = await online();
    expect(group.record().processes[0]).not.toHaveProperty('unready');
    group.processes[0]!.probed('status 500');
    expect(group.record().processes[0]).toMatchObject({ unready: 'status 500' });
  });
});

describe('an app', () => {
  it('is ready when its job is done, and not before it was started', async () => {
    const job = world.group({ autorestart: false });
    expect(isGroupReady(job)).toBe(false);
    await Promise.all([launch(job, false, () => {}), settle()]);
    world.living[0]!.exits(0);
    await settle();
    expect([statesOf(job), isGroupReady(job)]).toEqual([['stopped'], true]);
  });
});
