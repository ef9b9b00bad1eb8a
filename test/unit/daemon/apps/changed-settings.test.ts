// Each process is run by the settings that it was started with, and each new one gets the new ones: the first slot, too.
import { beforeEach, describe, expect, it } from 'vitest';
import type { AppSpec } from '../../../../src/config/app-spec.ts';
import type { Group } from '../../../../src/daemon/apps/group.ts';
import { updateInPlace } from '../../../../src/daemon/apps/managed-apps.ts';
import { settle, watched } from '../../../helpers/fake-clock.ts';
import { type FakeChild, FakeWorld } from '../../../helpers/fake-host.ts';

let world: FakeWorld;

beforeEach(() => {
  world = new FakeWorld();
});

const greeting = ({ sent }: FakeChild) => sent.find((message) => 'type' in message && message.type === 'hello');
const drainRequest = ({ sent }: FakeChild) => sent.find((message) => 'type' in message && message.type === 'drain');

const updateWith = (group: Group, how: 'restart' | 'reload', settings: Partial<AppSpec>) =>
  updateInPlace(group, { app: { ...group.spec, ...settings }, how, parallel: 1 }, () => {});

/** Resolves when the command has, with every new process good at once. */
async function changed(group: Group, how: 'restart' | 'reload', settings: Partial<AppSpec>): Promise<void> {
  world.onLaunch = (child) => child.listens();
  const update = watched(updateWith(group, how, settings));
  while (!update.isOver) {
    await settle();
    await world.clock.passes(100);
  }
  await update.over;
}

/** Each setting that the worker is greeted with: a value other than the default, and what the greeting says then. */
const greeted: [keyof AppSpec, unknown, object][] = [
  ['drainOnCrash', false, { drainOnCrash: false }],
  ['killTimeout', 300, { killTimeout: 300 }],
  // Each process draws its own limit.
  ['maxRequests', 50, { maxRequests: expect.toSatisfy((limit: number) => limit >= 45 && limit <= 50) }],
];

describe.each(['restart', 'reload'] as const)('a %s', (how) => {
  it.each(greeted)('passes a changed %s to every new process', async (name, value, expected) => {
    const group = await world.running({ instances: 2 });
    await changed(group, how, { [name]: value });
    expect(world.living.map(({ plan }) => plan.slot)).toEqual([0, 1]);
    for (const child of world.living) expect(greeting(child)).toMatchObject(expected);
  });

  it.each(greeted)('passes a changed %s to the process after a crash', async (name, value, expected) => {
    const group = await world.running();
    await changed(group, how, { [name]: value });
    world.living[0]!.exits(1);
    await settle();
    expect(greeting(world.living[0]!)).toMatchObject(expected);
  });
});

describe('a process that is replaced', () => {
  it('is stopped with the signal and the kill timeout that it was started with', async () => {
    const group = await world.running({ killTimeout: 8_000, stopSignal: 'SIGINT' });
    const [old] = world.children;
    old!.takesMessages = true;
    world.onSignal = (child, signal) => void (signal === 'SIGKILL' && setImmediate(() => child.exits(signal)));
    world.onLaunch = (child) => child.listens();
    const reloaded = updateWith(group, 'reload', { killTimeout: 1_000, stopSignal: 'SIGTERM' });
    while (!drainRequest(old!)) {
      await settle();
      await world.clock.passes(100);
    }
    expect(drainRequest(old!)).toMatchObject({ signal: 'SIGINT', killTimeout: 8_000 });
    old!.sends({ type: 'draining' });
    await world.clock.passes(7_900);
    expect(old!.signals).not.toContain('SIGKILL');
    await world.clock.passes(200);
    expect(old!.signals).toContain('SIGKILL');
    await reloaded;
  });
});

describe('a reload that fails', () => {
  it('keeps the old settings for processes that start afterwards', async () => {
    const group = await world.running({ maxRestarts: 5 });
    const updated = updateWith(group, 'reload', { maxRequests: 50 });
    await settle();
    world.children[1]!.exits(1);
    await expect(updated).rejects.toMatchObject({ code: 'RELOAD_FAILED' });
    world.children[0]!.exits(1);
    await settle();
    expect(greeting(world.living[0]!)).toMatchObject({ maxRequests: 0 });
  });
});
