// Processes that have finished their work, and keep idle connections for a while because others serve.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Group } from '../../../../src/daemon/apps/group.ts';
import * as operations from '../../../../src/daemon/apps/operations.ts';
import { everything } from '../../../../src/daemon/apps/registry.ts';
import { settle, watched } from '../../../helpers/fake-clock.ts';
import { type FakeChild, FakeWorld, pidsOf, quiet } from '../../../helpers/fake-host.ts';

let world: FakeWorld;

beforeEach(() => {
  world = new FakeWorld();
});

/** An app whose processes drain. */
async function running(settings: Record<string, unknown> = {}): Promise<Group> {
  const group = await world.running(settings);
  for (const child of world.children) child.takesMessages = true;
  world.onLaunch = (child) => {
    child.takesMessages = true;
    child.listens();
  };
  return group;
}

const reported = (child: FakeChild | undefined) =>
  child?.sent.filter((message) => 'type' in message && message.type !== 'hello');
const drained = (othersServe: boolean) => expect.objectContaining({ type: 'drain', othersServe });
const hurried = expect.objectContaining({ type: 'stop-keeping-idle' });

function lingers(child: FakeChild | undefined): void {
  child?.sends({ type: 'draining' });
  child?.sends({ type: 'only-idle-left' });
}

/** The new process is good after its minimum uptime. */
async function isGood(): Promise<void> {
  await settle();
  await world.clock.passes(1_000);
  await settle();
}

async function reloaded(group: Group): Promise<void> {
  const done = operations.reload(everything(group), {}, quiet);
  await isGood();
  lingers(world.children[0]);
  await done;
}

async function scaledDown(group: Group): Promise<void> {
  const done = operations.scale(group, 1, quiet);
  await settle();
  lingers(world.children[1]);
  await done;
}

describe('a reload', () => {
  it('moves on once the old process has only idle connections left, and finishes with them open', async () => {
    const group = await running({ instances: 2 });
    const done = operations.reload(everything(group), {}, quiet);
    await isGood();
    expect(reported(world.children[0])).toEqual([drained(true)]);
    expect(world.children).toHaveLength(3);
    lingers(world.children[0]);
    await settle(2);
    expect(world.children).toHaveLength(4);
    lingers(world.children[1]);
    await done;
    expect(pidsOf(group)).toEqual([1_002, 1_003]);
    expect(world.living).toHaveLength(4);
    expect(group.record().processes.map(({ role }) => role)).toEqual(['holder', 'holder', 'leaver', 'leaver']);
  });

  it('frees the addresses that only the old process has listened on', async () => {
    const group = await running({ listenTimeout: '2s' });
    world.holds('3000', 1_000);
    world.holds('3001', 1_000, 1_001);
    await reloaded(group);
    await world.clock.passes(1_000);
    expect(world.log).toEqual(['spawn 1001', 'withdrawn 1000', 'close 3000']);
  });

  it('waits for an old process that has other work', async () => {
    const group = await running();
    const reload = watched(operations.reload(everything(group), {}, quiet));
    await isGood();
    world.children[0]!.sends({ type: 'draining' });
    await world.clock.passes(2_000);
    expect(reload.isOver).toBe(false);
    world.children[0]!.exits(0);
    await reload.over;
  });

  it('notices the exit of the old process, and drops it', async () => {
    const group = await running();
    await reloaded(group);
    world.children[0]!.exits('SIGTERM');
    await settle();
    expect(group.all).toEqual(group.processes);
    expect(group.processes[0]!.lastExit).toEqual({ code: null, signal: 'SIGTERM' });
    expect(world.log).not.toContain('sockets close');
  });

  it('kills the old process if it does not exit', async () => {
    const group = await running();
    await reloaded(group);
    await world.clock.passes(5_000);
    expect(world.living.map(({ pid }) => pid)).toEqual([1_001]);
    expect(pidsOf(group)).toEqual([1_001]);
  });

  it('may follow another reload whose old process still runs', async () => {
    const group = await running();
    await reloaded(group);
    const again = operations.reload(everything(group), {}, quiet);
    await isGood();
    expect(reported(world.children[0])).toEqual([drained(true)]);
    lingers(world.children[1]);
    await again;
    expect(world.living.map(({ pid }) => pid)).toEqual([1_000, 1_001, 1_002]);
  });
});

/** It serves nobody any more, and does not exit. */
function remains(child: FakeChild | undefined, isFree = true): void {
  child?.sends({ type: 'draining' });
  child?.sends({ type: 'remaining', isFree, waitsFor: { Timeout: 1 }, connected: [], failed: [] });
}

describe('a reload of processes that do not exit', () => {
  it('moves on once the old process has no clients left, and reports what it waits for', async () => {
    const group = await running({ instances: 2, killTimeout: '1h' });
    const notices: string[] = [];
    const note = (text: string, isLasting = false) => void (isLasting && notices.push(text));
    const done = operations.reload(everything(group), {}, note);
    await isGood();
    remains(world.children[0]);
    await settle(2);
    expect(world.children).toHaveLength(4);
    remains(world.children[1]);
    await done;
    expect(pidsOf(group)).toEqual([1_002, 1_003]);
    expect(world.living).toHaveLength(4);
    const waits = 'has not exited since SIGTERM: it waits for 1 timer';
    expect(notices).toEqual([`web (instance 0) ${waits}`, `web (instance 1) ${waits}`]);
    const reported = world.events.filter(({ type }) => type === 'not-exiting');
    expect(reported).toEqual([0, 1].map((slot) => expect.objectContaining({ slot, pid: 1_000 + slot, detail: waits })));
  });

  it.each([1, 2])('starts no replacement while more of them remain than it replaces at once: %d', async (parallel) => {
    const instances = 3 * parallel;
    const group = await running({ instances, killTimeout: '1h' });
    const old = [...world.children];
    const reports: string[] = [];
    const done = operations.reload(everything(group), { parallel }, (text) => void reports.push(text));
    await isGood();
    for (const child of old.slice(0, 2 * parallel)) {
      remains(child);
      await settle(4);
    }
    expect(world.children).toHaveLength(instances + 2 * parallel);
    expect(reports.at(-1)).toBe('waiting for an old process of web (instance 0) to exit');
    for (const child of old.slice(0, parallel)) child.exits('SIGKILL');
    await settle(4);
    expect(world.children).toHaveLength(2 * instances);
    for (const child of old.slice(2 * parallel)) remains(child);
    await done;
    expect(world.living).toHaveLength(2 * instances - parallel);
  });

  it('waits while the old process still has clients or work', async () => {
    const group = await running();
    const reload = watched(operations.reload(everything(group), {}, quiet));
    await isGood();
    remains(world.children[0], false);
    await settle();
    expect(reload.isOver).toBe(false);
    remains(world.children[0]);
    await reload.over;
    expect(world.events.filter(({ type }) => type === 'not-exiting')).toHaveLength(1);
  });

  it('kills the old process at the kill timeout', async () => {
    const group = await running();
    const done = operations.reload(everything(group), {}, quiet);
    await isGood();
    remains(world.children[0]);
    await done;
    await world.clock.passes(5_000);
    expect(world.living.map(({ pid }) => pid)).toEqual([1_001]);
    expect(group.all).toEqual(group.processes);
  });
});

describe('a scale down', () => {
  it('keeps the idle connections of removed processes open', async () => {
    const group = await running({ instances: 2 });
    await scaledDown(group);
    expect(reported(world.children[1])).toEqual([drained(true)]);
    expect(pidsOf(group)).toEqual([1_000]);
    expect(world.living).toHaveLength(2);
    world.children[1]!.exits('SIGTERM');
    await settle();
    expect(group.all).toEqual(group.processes);
  });

  it('does not keep idle connections open if no other process serves', async () => {
    const group = await running({ instances: 2, autorestart: false });
    world.children[0]!.exits(0);
    const done = operations.scale(group, 1, quiet);
    await settle();
    expect(reported(world.children[1])).toEqual([drained(false)]);
    world.children[1]!.exits(0);
    await done;
  });
});

describe('a stop', () => {
  it.each([
    { after: 'a reload', settings: {}, begins: reloaded, old: 0 },
    { after: 'a scale down', settings: { instances: 2 }, begins: scaledDown, old: 1 },
  ])('ends the old process too, and at once, soon after $after', async ({ settings, begins, old }) => {
    const group = await running(settings);
    await begins(group);
    const stopped = watched(operations.stop(everything(group)));
    await settle();
    const holder = world.children[1 - old];
    expect(reported(world.children[old])).toEqual([drained(true), hurried]);
    expect(reported(holder)).toEqual([drained(false)]);
    holder!.exits(0);
    await settle();
    expect(stopped.isOver).toBe(false);
    world.children[old]!.exits(0);
    await stopped.over;
    expect(world.living).toEqual([]);
  });

  it('hurries a process that has asked for its successor', async () => {
    const group = await running();
    world.children[0]!.sends({ type: 'leaving', reason: 'Error: oops' });
    await settle();
    const removed = operations.remove(group, 'delete');
    await settle();
    expect(reported(world.children[0])).toEqual([hurried]);
    for (const child of world.living) child.exits(0);
    await removed;
  });

  it('is not assumed if a process reports that it lingers or remains without being asked to leave', async () => {
    const group = await running();
    world.children[0]!.sends({ type: 'only-idle-left' });
    remains(world.children[0]);
    expect(group.processes[0]!.remains).toBeUndefined();
    expect(world.log).toEqual([]);
  });
});

describe('a restart', () => {
  it('does not keep idle connections open, because no other process serves in the meantime', async () => {
    const group = await running();
    const done = operations.restart(everything(group), undefined, quiet);
    await settle();
    expect(reported(world.children[0])).toEqual([drained(false)]);
    world.children[0]!.exits(0);
    await done;
  });
});

describe('the record for the next daemon', () => {
  it('marks the new process as online, and the old one as stopping', async () => {
    const group = await running();
    await reloaded(group);
    const [holder, leaver] = group.record().processes;
    expect([holder?.state.kind, leaver?.state.kind]).toEqual(['online', 'stopping']);
  });
});
