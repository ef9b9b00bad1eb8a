import { beforeEach, describe, expect, it } from 'vitest';
import * as operations from '../../../../src/daemon/apps/operations.ts';
import { everything } from '../../../../src/daemon/apps/registry.ts';
import { giveupReasonOf } from '../../../../src/daemon/process/lifecycle/classes.ts';
import { settle, watched } from '../../../helpers/fake-clock.ts';
import { FakeWorld, pidsOf, quiet, statesOf } from '../../../helpers/fake-host.ts';

let world: FakeWorld;

beforeEach(() => {
  world = new FakeWorld();
});

describe('a process that announces its exit', () => {
  const leaving = { type: 'leaving', reason: 'Error: oops' };
  const giveups = () => world.events.filter(({ type }) => type === 'giveup');

  it('has a successor before it exits, which counts as one restart', async () => {
    const group = await world.running();
    const [old] = world.children;
    old!.sends(leaving);
    expect(world.log).toEqual(['spawn 1001']);
    expect(pidsOf(group)).toEqual([1_001]);
    world.children[1]!.listens();
    old!.exits(7);
    await settle();
    expect(group.processes[0]).toMatchObject({ restarts: 1, lastExit: { code: 7, signal: null } });
    expect(world.log).not.toContain('sockets close');
    expect(world.events.filter(({ type }) => type === 'restart')).toHaveLength(1);
  });

  it('emits one event, with the reason', async () => {
    await world.running();
    const [old] = world.children;
    old!.sends(leaving);
    old!.sends(leaving);
    const reported = world.events.filter(({ type }) => type === 'leaving');
    expect(reported).toMatchObject([{ app: 'web', slot: 0, pid: 1_000, reason: expect.stringContaining('oops') }]);
  });

  it('is killed at the kill timeout', async () => {
    await world.running({ killTimeout: 3_000 });
    const [old] = world.children;
    old!.sends(leaving);
    await world.clock.passes(3_000);
    expect(new Set(old!.signals)).toEqual(new Set(['SIGKILL']));
  });

  it('is awaited by a stop in the meantime', async () => {
    const group = await world.running();
    const [old] = world.children;
    old!.sends(leaving);
    const stopped = watched(operations.stop(everything(group)));
    await settle(2);
    expect(stopped.isOver).toBe(false);
    old!.exits(1);
    await stopped.over;
    expect(world.living).toEqual([]);
  });

  it('counts against the restart limit at once, not when it exits', async () => {
    const group = await world.running({ maxRestarts: 1 });
    world.children[0]!.sends(leaving);
    world.children[1]!.listens();
    world.children[1]!.sends(leaving);
    expect(world.living).toHaveLength(2);
    expect(world.children).toHaveLength(2);
    expect(giveups()).toMatchObject([
      { lastError: 'Error: oops', reason: expect.stringMatching(/oops; gave up after 1 restart within/) },
    ]);
    expect(giveupReasonOf(group.processes[0]!.state)).toMatch(/oops/);
    for (const child of world.living) child.exits(1);
    expect(statesOf(group)).toEqual(['errored']);
    expect(giveups()).toHaveLength(1);
  });

  it('finishes its work when nsv gives up on it, and the sockets close with the last instance', async () => {
    const group = await world.running({ maxRestarts: 0, instances: 2 });
    const [first, second] = world.children;
    first!.sends(leaving);
    expect(world.log).toEqual([]);
    second!.sends(leaving);
    expect(world.log).toEqual(['sockets close']);
    expect(world.living).toHaveLength(2);
    await world.clock.passes(5_000);
    expect(new Set(first!.signals)).toEqual(new Set(['SIGKILL']));
    expect(statesOf(group)).toEqual(['errored', 'errored']);
    expect(giveups()).toHaveLength(2);
  });

  it('is killed at the kill timeout even if no restart is wanted', async () => {
    const group = await world.running({ autorestart: false });
    world.children[0]!.sends(leaving);
    await world.clock.passes(5_000);
    expect(new Set(world.children[0]!.signals)).toEqual(new Set(['SIGKILL']));
    expect(statesOf(group)).toEqual(['stopped']);
    expect(giveups()).toEqual([]);
  });

  it('has its sockets reopened by a reload if nsv has given up on it', async () => {
    const group = await world.running({ maxRestarts: 0 });
    world.children[0]!.sends(leaving);
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
    'may announce it in a traditional form: $message',
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
    world.children[0]!.sends(leaving);
    world.children[1]!.listens();
    world.children[2]!.listens();
    await world.clock.passes(1_000);
    world.children[0]!.exits(1);
    await reloaded;
    expect(pidsOf(group)).toEqual([1_001]);
    expect(world.living.map(({ pid }) => pid)).toEqual([1_001]);
  });
});
