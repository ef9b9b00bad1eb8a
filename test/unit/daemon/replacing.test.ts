import { beforeEach, describe, expect, it } from 'vitest';
import { giveupReasonOf } from '../../../src/daemon/lifecycle.ts';
import * as operations from '../../../src/daemon/operations.ts';
import { everything } from '../../../src/daemon/registry.ts';
import { settle } from '../../helpers/fake-clock.ts';
import { FakeWorld, pidsOf, statesOf } from '../../helpers/fake-host.ts';

let world: FakeWorld;
const quiet = () => {};

beforeEach(() => {
  world = new FakeWorld();
});

describe('reload', () => {
  it('lets the old go only when the new is ready, one slot after the other', async () => {
    const group = await world.running({ instances: 2 });
    const reloaded = operations.reload(everything(group), {}, quiet);
    await settle();
    expect(world.log).toEqual(['spawn 1002']);
    world.children[2]!.listens();
    await world.clock.passes(999);
    expect(world.log).toEqual(['spawn 1002']);
    await world.clock.passes(1);
    await settle();
    expect(world.log).toEqual(['spawn 1002', 'exit 1000', 'spawn 1003']);
    world.children[3]!.listens();
    await reloaded;
    expect(pidsOf(group)).toEqual([1_002, 1_003]);
    expect(group.processes.map(({ id, restarts }) => [id, restarts])).toEqual([
      [0, 0],
      [1, 0],
    ]);
  });

  it('keeps the old processes when the first new one listens and then dies', async () => {
    const group = await world.running({ instances: 2 });
    const reloaded = operations.reload(everything(group), {}, quiet);
    const failed = expect(reloaded).rejects.toMatchObject({ code: 'RELOAD_FAILED' });
    await settle();
    world.children[2]!.listens();
    await world.clock.passes(500);
    world.children[2]!.exits(1);
    await failed;
    expect(world.living.map(({ pid }) => pid)).toEqual([1_000, 1_001]);
    expect(pidsOf(group)).toEqual([1_000, 1_001]);
  });

  it('replaces as many at the same time as asked', async () => {
    const group = await world.running({ instances: 3 });
    const reloaded = operations.reload(everything(group), { parallel: 2 }, quiet);
    await settle();
    expect(world.log).toEqual(['spawn 1003', 'spawn 1004']);
    for (const child of world.children.slice(3)) child.listens();
    await world.clock.passes(1_000);
    await settle();
    world.children[5]!.listens();
    await reloaded;
    expect(pidsOf(group)).toEqual([1_003, 1_004, 1_005]);
  });

  it.each([
    { what: 'dies', fails: () => world.children[2]!.exits(7), reason: 'exit code 7' },
    {
      what: 'never listens though its predecessor did',
      fails: () => world.clock.passes(30_000),
      reason: 'not ready within 30s',
    },
  ])('keeps the old processes when the new one $what', async ({ fails, reason }) => {
    const group = await world.running({ instances: 2 });
    const reloaded = operations.reload(everything(group), {}, quiet);
    const failed = expect(reloaded).rejects.toMatchObject({
      code: 'RELOAD_FAILED',
      message: expect.stringContaining(reason),
    });
    await settle();
    await fails();
    await failed;
    expect(pidsOf(group)).toEqual([1_000, 1_001]);
    expect(world.living.map(({ pid }) => pid)).toEqual([1_000, 1_001]);
    expect(world.children).toHaveLength(3);
  });

  it('waits for a reload that is under way: the two are never interleaved', async () => {
    const group = await world.running();
    const reports: string[] = [];
    const first = operations.reload(everything(group), {}, quiet);
    const second = operations.reload(everything(group), {}, (text) => reports.push(text));
    await settle();
    expect(world.log).toEqual(['spawn 1001']);
    world.children[1]!.listens();
    await world.clock.passes(1_000);
    await first;
    await settle();
    world.children[2]!.listens();
    await world.clock.passes(1_000);
    await second;
    expect(reports[0]).toBe('waiting for "reload" of web to finish');
    expect(world.log.filter((line) => /spawn|exit/.test(line))).toEqual([
      'spawn 1001',
      'exit 1000',
      'spawn 1002',
      'exit 1001',
    ]);
  });

  it('restarts a program that binds its port by itself', async () => {
    const group = world.group({ node: false });
    const launched = operations.launch(group, true, quiet);
    await settle();
    await world.clock.passes(1_000);
    await launched;
    const reloaded = operations.reload(everything(group), {}, quiet);
    await settle();
    await settle();
    await world.clock.passes(1_000);
    await reloaded;
    expect(world.log.filter((line) => /spawn|exit/.test(line))).toEqual(['spawn 1000', 'exit 1000', 'spawn 1001']);
  });
});

describe('a process that says that it will end by itself', () => {
  const suicide = { type: 'suicide', reason: 'Error: oops' };
  const giveups = () => world.events.filter(({ type }) => type === 'giveup');

  it('has its successor before it is gone, which counts as one restart', async () => {
    const group = await world.running();
    const [old] = world.children;
    old!.tells(suicide);
    expect(world.log).toEqual(['spawn 1001']);
    expect(pidsOf(group)).toEqual([1_001]);
    world.children[1]!.listens();
    old!.exits(7);
    await settle();
    expect(group.processes[0]).toMatchObject({ restarts: 1, lastExit: { code: 7, signal: null } });
    expect(world.log).not.toContain('sockets close');
    expect(world.events.filter(({ type }) => type === 'restart')).toHaveLength(1);
  });

  it('is killed when it holds on', async () => {
    await world.running({ killTimeout: 3_000 });
    const [old] = world.children;
    old!.tells(suicide);
    await world.clock.passes(3_000);
    expect(new Set(old!.signals)).toEqual(new Set(['SIGKILL']));
  });

  it('is waited for by a stop that comes meanwhile', async () => {
    const group = await world.running();
    const [old] = world.children;
    old!.tells(suicide);
    let isStopped = false;
    const stopped = operations.stop(everything(group)).then(() => {
      isStopped = true;
    });
    await settle();
    await settle();
    expect(isStopped).toBe(false);
    old!.exits(1);
    await stopped;
    expect(world.living).toEqual([]);
  });

  it('counts against the restart limit when it says so, not when it has gone', async () => {
    const group = await world.running({ maxRestarts: 1 });
    world.children[0]!.tells(suicide);
    world.children[1]!.listens();
    world.children[1]!.tells(suicide);
    expect(world.living).toHaveLength(2);
    expect(world.children).toHaveLength(2);
    expect(giveups()).toMatchObject([{ lastError: 'Error: oops', reason: expect.stringMatching(/1 restarts.*oops/) }]);
    expect(giveupReasonOf(group.processes[0]!.state)).toMatch(/oops/);
    for (const child of world.living) child.exits(1);
    expect(statesOf(group)).toEqual(['errored']);
    expect(giveups()).toHaveLength(1);
  });

  it('finishes what it has when nsv gives up on it, while nobody is left waiting for an answer', async () => {
    const group = await world.running({ maxRestarts: 0, instances: 2 });
    const [first, second] = world.children;
    first!.tells(suicide);
    expect(world.log).toEqual([]);
    second!.tells(suicide);
    expect(world.log).toEqual(['sockets close']);
    expect(world.living).toHaveLength(2);
    await world.clock.passes(5_000);
    expect(new Set(first!.signals)).toEqual(new Set(['SIGKILL']));
    expect(statesOf(group)).toEqual(['errored', 'errored']);
    expect(giveups()).toHaveLength(2);
  });

  it('ends by the kill timeout where no restart is wanted either', async () => {
    const group = await world.running({ autorestart: false });
    world.children[0]!.tells(suicide);
    await world.clock.passes(5_000);
    expect(new Set(world.children[0]!.signals)).toEqual(new Set(['SIGKILL']));
    expect(statesOf(group)).toEqual(['stopped']);
    expect(giveups()).toEqual([]);
  });

  it('has its sockets opened again by a reload when nsv had given up on it', async () => {
    const group = await world.running({ maxRestarts: 0 });
    world.children[0]!.tells(suicide);
    const reloaded = operations.reload(everything(group), {}, quiet);
    await settle();
    expect(world.log).toEqual(['sockets close', 'sockets open']);
    world.children[0]!.exits(1);
    await settle();
    world.children[1]!.listens();
    await reloaded;
    expect(pidsOf(group)).toEqual([1_001]);
  });

  it.each([{ message: { act: 'suicide' } }, { message: 'new_worker' }])(
    'may say so in the classic way: $message',
    async ({ message }) => {
      await world.running();
      world.children[0]!.says(message);
      expect(world.living).toHaveLength(2);
    },
  );

  it('is replaced by a reload that is under way in the same slot', async () => {
    const group = await world.running();
    const reloaded = operations.reload(everything(group), {}, quiet);
    await settle();
    world.children[0]!.tells(suicide);
    world.children[1]!.listens();
    world.children[2]!.listens();
    await world.clock.passes(1_000);
    world.children[0]!.exits(1);
    await reloaded;
    expect(pidsOf(group)).toEqual([1_001]);
    expect(world.living.map(({ pid }) => pid)).toEqual([1_001]);
  });
});

describe('a process that takes messages', () => {
  it('is asked by one instead of the signal, and what it could not finish is counted', async () => {
    const group = await world.running({ shutdownWithMessage: true });
    const [child] = world.children;
    child!.takesMessages = true;
    const stopped = operations.stop(everything(group));
    await settle();
    expect(child!.sent.at(-1)).toMatchObject({ type: 'drain', signal: 'SIGTERM', killTimeout: 5_000, message: true });
    child!.tells({ type: 'draining' });
    child!.tells({ type: 'in-flight', count: 2 });
    await world.clock.passes(5_000);
    await stopped;
    expect(new Set(child!.signals)).toEqual(new Set(['SIGKILL']));
    expect(group.processes[0]!.cutShort).toBe(2);
    expect(world.events).toContainEqual(expect.objectContaining({ type: 'cut short', requests: 2 }));
  });
});
