import { describe, expect, it } from 'vitest';
import { launch, start, stop } from '../../../../src/daemon/apps/operations.ts';
import { everything } from '../../../../src/daemon/apps/registry.ts';
import { viewStanding } from '../../../../src/daemon/control/view.ts';
import type { Exit } from '../../../../src/ipc/views.ts';
import { settle } from '../../../helpers/fake-clock.ts';
import { FakeWorld } from '../../../helpers/fake-host.ts';

const quiet = () => {};

async function begun(settings: Record<string, unknown>) {
  const world = new FakeWorld();
  const group = world.group(settings);
  await launch(group, false, quiet);
  return { world, group, standing: () => viewStanding(group, group.processes[0]!) };
}

describe('a process is told as completed', () => {
  it.each<[Record<string, unknown>, Exit, boolean]>([
    [{ autorestart: false }, { code: 0, signal: null }, true],
    [{ autorestart: false }, { code: 1, signal: null }, false],
    [{ autorestart: false }, { code: null, signal: 'SIGKILL' }, false],
    [{ autorestart: false, stopExitCodes: [3] }, { code: 3, signal: null }, true],
    [{ stopExitCodes: [0] }, { code: 0, signal: null }, true],
    [{ stopExitCodes: [0], restartDelay: 100 }, { code: 1, signal: null }, false],
  ])('with %j after %j: %s', async (settings, { code, signal }, completed) => {
    const { world, standing } = await begun(settings);
    expect(standing().completed).toBe(false);
    world.children[0]!.exits(signal ?? code ?? 0);
    expect(standing()).toMatchObject({ completed, lastExit: { code, signal } });
  });

  it('only when it ended by itself, not when it was stopped', async () => {
    const { world, group, standing } = await begun({ autorestart: false });
    world.onSignal = (child) => void setImmediate(() => child.exits(0));
    await stop(everything(group));
    expect(standing()).toMatchObject({ status: 'stopped', completed: false, lastExit: { code: 0 } });
  });

  it('not when it runs again', async () => {
    const { world, group, standing } = await begun({ autorestart: false });
    world.children[0]!.exits(0);
    await start(everything(group), undefined, false, quiet);
    await settle();
    expect(standing()).toMatchObject({ status: 'starting', completed: false });
  });
});
