import { describe, expect, it } from 'vitest';
import { launch, reload, restart, start, stop } from '../../../../src/daemon/apps/operations.ts';
import { everything } from '../../../../src/daemon/apps/registry.ts';
import { viewStanding } from '../../../../src/daemon/control/view.ts';
import type { Exit } from '../../../../src/ipc/views.ts';
import { settle } from '../../../helpers/fake-clock.ts';
import { FakeWorld, quiet } from '../../../helpers/fake-host.ts';

async function begun(settings: Record<string, unknown>) {
  const world = new FakeWorld();
  const group = world.group(settings);
  await launch(group, false, quiet);
  return { world, group, standing: () => viewStanding(group, group.processes[0]!) };
}

describe('a process', () => {
  it.each<[Record<string, unknown>, Exit, boolean]>([
    [{ autorestart: false }, { code: 0, signal: null }, true],
    [{ autorestart: false }, { code: 1, signal: null }, false],
    [{ autorestart: false }, { code: null, signal: 'SIGKILL' }, false],
    [{ autorestart: false, stopExitCodes: [3] }, { code: 3, signal: null }, true],
    [{ stopExitCodes: [0] }, { code: 0, signal: null }, true],
    [{ stopExitCodes: [0], restartDelay: 100 }, { code: 1, signal: null }, false],
  ])('is completed or not by its settings and exit: %j, %j: %s', async (settings, { code, signal }, completed) => {
    const { world, standing } = await begun(settings);
    expect(standing().completed).toBe(false);
    world.children[0]!.exits(signal ?? code ?? 0);
    expect(standing()).toMatchObject({ completed, lastExit: { code, signal } });
  });

  it('is not completed if it was stopped', async () => {
    const { world, group, standing } = await begun({ autorestart: false });
    world.onSignal = (child) => void setImmediate(() => child.exits(0));
    await stop(everything(group));
    expect(standing()).toMatchObject({ status: 'stopped', completed: false, lastExit: { code: 0 } });
  });

  it('is not completed once it runs again', async () => {
    const { world, group, standing } = await begun({ autorestart: false });
    world.children[0]!.exits(0);
    await start(everything(group), undefined, false, quiet);
    await settle();
    expect(standing()).toMatchObject({ status: 'starting', completed: false });
  });
});

describe('the restarts of a process', () => {
  it('are counted as planned or unplanned, without the start of a stopped process', async () => {
    const { world, group, standing } = await begun({});
    world.onLaunch = (child) => void setImmediate(() => child.listens());
    world.onSignal = (child) => void setImmediate(() => child.exits(0));
    world.children[0]!.exits(1);
    await settle();
    expect(standing()).toMatchObject({ restarts: 1, planned: 0, earlyExits: 1 });
    await restart(everything(group), undefined, quiet);
    expect(standing()).toMatchObject({ restarts: 1, planned: 1, earlyExits: 0 });
    const reloaded = reload(everything(group), {}, quiet);
    while (world.children.length < 4) await settle();
    await settle();
    await world.clock.passes(1_000);
    await reloaded;
    expect(standing()).toMatchObject({ restarts: 1, planned: 2 });
    await stop(everything(group));
    await start(everything(group), undefined, true, quiet);
    expect(standing()).toMatchObject({ restarts: 1, planned: 2 });
  });

  it('count as early until one process stays up for a second', async () => {
    const { world, standing } = await begun({});
    for (const [uptime, earlyExits] of [
      [0, 1],
      [999, 2],
      [1_000, 0],
      [10, 1],
    ] as const) {
      await world.clock.passes(uptime);
      world.children.at(-1)!.exits(1);
      await settle();
      expect(standing()).toMatchObject({ earlyExits });
    }
  });
});
