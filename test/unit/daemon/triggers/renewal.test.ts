// Replacements by a cron pattern, beside commands that change it.
import { beforeEach, expect, it } from 'vitest';
import type { Group } from '../../../../src/daemon/apps/group.ts';
import { stateToSave } from '../../../../src/daemon/apps/managed-apps.ts';
import * as operations from '../../../../src/daemon/apps/operations.ts';
import { everything } from '../../../../src/daemon/apps/registry.ts';
import { attachTriggers } from '../../../../src/daemon/triggers/triggers.ts';
import { FakeWorld, pidsOf, quiet, statesOf } from '../../../helpers/fake-host.ts';

let world: FakeWorld;
let detach: () => void;

beforeEach(() => {
  world = new FakeWorld();
});

/** Each second is another reason to replace it. */
async function running(): Promise<Group> {
  const group = await world.running({ cronRestart: '* * * * * *' });
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

/** What runs is ended like this, and the next process is a good one. */
async function ended(settings: Record<string, unknown>, ...codes: number[]): Promise<Group> {
  const group = await world.running({ cronRestart: '0 0 1 1 *', ...settings });
  for (const code of codes) {
    world.living.at(-1)!.exits(code);
    await world.elapses(1);
  }
  return group;
}

/** The time of its pattern is there. */
async function due(group: Group): Promise<void> {
  group.setSettings({ cronRestart: '* * * * * *' });
  detach = await attachTriggers(group, world.triggerDeps);
  world.onLaunch = (child) => child.listens();
  await world.elapses(1_100);
  detach();
  await world.elapses(5_000);
}

it.each<[what: string, settings: Record<string, unknown>, codes: number[], before: string]>([
  ['an app that nsv has given up on', { maxRestarts: 0 }, [1], 'errored'],
  ['an app whose work is done', { autorestart: false }, [0], 'stopped'],
  ['an app whose restart is due', { restartDelay: '1h' }, [1], 'backoff'],
])('a cron pattern starts %s', async (_, settings, codes, before) => {
  const group = await ended(settings, ...codes);
  expect(statesOf(group)).toEqual([before]);
  await due(group);
  expect(statesOf(group)).toEqual(['online']);
});

it('a cron pattern starts an app that was only added to the list', async () => {
  const group = world.group({ cronRestart: '0 0 1 1 *' });
  await due(group);
  expect(statesOf(group)).toEqual(['online']);
});

it.each<[what: string, settings: Record<string, unknown>, codes: number[]]>([
  ['that nsv has given up on', { maxRestarts: 0 }, [1]],
  ['whose work is done', { autorestart: false }, [0]],
  ['whose restart is due', { restartDelay: '1h' }, [1]],
])('a cron pattern leaves an app stopped %s, once a person has stopped it', async (_, settings, codes) => {
  const group = await ended(settings, ...codes);
  expect(stateToSave(group)).not.toHaveProperty('isLeftAlone');
  await operations.stop(everything(group));
  await due(group);
  expect(statesOf(group)).toEqual(['stopped']);
  expect(stateToSave(group)).toMatchObject({ isLeftAlone: true });
});

it('a cron pattern starts such an app again once a command has started it', async () => {
  const group = await ended({ autorestart: false }, 0);
  await operations.stop(everything(group));
  world.onLaunch = (child) => child.exits(0);
  await operations.start(everything(group), undefined, false, quiet);
  await world.elapses(1_000);
  await due(group);
  expect(statesOf(group)).toEqual(['online']);
});

it('a cron pattern leaves an instance stopped that a person has stopped', async () => {
  const group = await ended({ instances: 2 });
  await operations.stop({ group, slots: [0] });
  const [, second] = pidsOf(group);
  await due(group);
  expect(statesOf(group)).toEqual(['stopped', 'online']);
  expect(pidsOf(group)[1]).not.toBe(second);
});

it('a cron pattern that is due while a person stops the app leaves it stopped', async () => {
  const group = await ended({ killTimeout: '1h' });
  world.onSignal = () => {};
  const stopped = operations.stop(everything(group));
  await due(group);
  world.living.at(-1)!.exits(0);
  await stopped;
  await world.elapses(1_000);
  expect(statesOf(group)).toEqual(['stopped']);
});
