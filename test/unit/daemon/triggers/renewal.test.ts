// Replacements by a cron pattern, beside commands that change it.
import { beforeEach, expect, it } from 'vitest';
import type { Group } from '../../../../src/daemon/apps/group.ts';
import * as operations from '../../../../src/daemon/apps/operations.ts';
import { everything } from '../../../../src/daemon/apps/registry.ts';
import { attachTriggers } from '../../../../src/daemon/triggers/triggers.ts';
import { FakeWorld, pidsOf, quiet } from '../../../helpers/fake-host.ts';

let world: FakeWorld;
let detach: () => void;

beforeEach(() => {
  world = new FakeWorld();
});

/** Each second is another reason to replace it. */
async function running(): Promise<Group> {
  const group = await world.running({ cronRestart: '* * * * * *', minUptime: 10 });
  detach = await attachTriggers(group, world.triggerDeps);
  return group;
}

it('a cron pattern replaces processes while the app has it', async () => {
  const group = await running();
  world.onLaunch = (child) => child.listens();
  await world.elapses(2_500);
  expect(pidsOf(group)).not.toEqual([1_000]);
});

it.each<[when: string, others: number]>([
  ['during the restart that removes it', 0],
  ['while that restart waits for another one', 1],
])('a cron pattern that is due %s has no effect afterwards', async (_, others) => {
  const group = await running();
  const restart = (...settings: [] | [{ cronRestart: undefined }]) =>
    operations.restart(everything(group), undefined, quiet, ...settings);
  const commands = [...Array.from({ length: others }, () => restart()), restart({ cronRestart: undefined })];
  await world.elapses(1_200);
  world.onLaunch = (child) => child.listens();
  world.living.at(-1)!.listens();
  await Promise.all(commands);
  detach();
  await world.elapses(5_000);
  expect(world.children).toHaveLength(1 + commands.length);
});
