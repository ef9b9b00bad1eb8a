import { beforeEach, describe, expect, it } from 'vitest';
import * as operations from '../../../../src/daemon/apps/operations.ts';
import { everything } from '../../../../src/daemon/apps/registry.ts';
import { settle, watched } from '../../../helpers/fake-clock.ts';
import { FakeWorld, pidsOf, quiet, statesOf } from '../../../helpers/fake-host.ts';
import { gate } from '../../../helpers/wire.ts';

let world: FakeWorld;

beforeEach(() => {
  world = new FakeWorld();
});

describe('launch', () => {
  it('returns when every instance is ready', async () => {
    const group = world.group({ instances: 2 });
    const launched = watched(operations.launch(group, true, quiet));
    await settle();
    world.children[0]!.listens();
    await settle();
    expect(launched.isOver).toBe(false);
    world.children[1]!.listens();
    await launched.over;
    expect(statesOf(group)).toEqual(['online', 'online']);
  });

  it('fails with the reason when nsv gives up', async () => {
    const group = world.group({ maxRestarts: 2 });
    const launched = operations.launch(group, true, quiet);
    for (const _ of [1, 2, 3]) {
      await settle();
      world.living[0]!.exits(1);
    }
    await expect(launched).rejects.toMatchObject({
      code: 'NOT_READY',
      message: expect.stringContaining('exit code 1'),
    });
    expect(statesOf(group)).toEqual(['errored']);
    expect(world.events.filter(({ type }) => type === 'giveup')).toHaveLength(1);
  });

  it('fails when an app without a restart limit keeps ending', async () => {
    const group = world.group({ maxRestarts: 'unlimited', listenTimeout: 5_000 });
    const launched = operations.launch(group, true, quiet);
    const failed = expect(launched).rejects.toMatchObject({ code: 'NOT_READY' });
    await settle();
    for (let second = 0; second < 30; second += 1) {
      await world.clock.passes(200);
      world.living[0]!.exits(1);
    }
    await failed;
  });

  it('throws the error of the spawn, and retries after a second', async () => {
    const group = world.group();
    world.spawnError = new Error('EACCES');
    await expect(operations.launch(group, true, quiet)).rejects.toThrow('EACCES');
    expect(statesOf(group)).toEqual(['backoff']);
    world.spawnError = undefined;
    await world.clock.passes(999);
    expect(world.children).toHaveLength(0);
    await world.clock.passes(1);
    expect(world.children).toHaveLength(1);
  });

  it('succeeds for a job without restarts that exits with 0', async () => {
    const group = world.group({ autorestart: false });
    const launched = operations.launch(group, true, quiet);
    await settle();
    world.children[0]!.exits(0);
    await launched;
    expect(statesOf(group)).toEqual(['stopped']);
  });
});

describe('stop', () => {
  it('returns when the last process is gone, and closes the sockets then', async () => {
    const group = await world.running({ instances: 2 });
    await operations.stop(everything(group));
    expect(statesOf(group)).toEqual(['stopped', 'stopped']);
    expect(world.living).toEqual([]);
    expect(world.log).toEqual(['exit 1000', 'exit 1001', 'sockets close']);
    expect(world.clock.pending).toBe(0);
  });

  it('interrupts a start that is under way', async () => {
    const group = world.group({ waitReady: true });
    const launched = operations.launch(group, true, quiet);
    const interrupted = expect(launched).rejects.toMatchObject({ code: 'INTERRUPTED' });
    await settle();
    await operations.stop(everything(group));
    await interrupted;
    expect(statesOf(group)).toEqual(['stopped']);
  });

  it('prevents a start that is under way from starting more instances', async () => {
    const group = world.group({ instances: 3 });
    let letIn = () => {};
    world.host.turn = () => new Promise((resolve) => (letIn = resolve));
    const launched = expect(operations.launch(group, true, quiet)).rejects.toMatchObject({ code: 'INTERRUPTED' });
    await settle();
    letIn();
    await settle();
    const stopped = operations.stop(everything(group));
    letIn();
    await Promise.all([launched, stopped]);
    expect(world.children).toHaveLength(1);
    expect(statesOf(group)).toEqual(['stopped', 'stopped', 'stopped']);
  });

  it('kills a process that does not stop in time', async () => {
    const group = await world.running({ killTimeout: 3_000 });
    world.onSignal = (child, signal) => {
      if (signal === 'SIGKILL') child.exits(signal);
    };
    const stopped = operations.stop(everything(group));
    await settle();
    await world.clock.passes(2_999);
    expect(world.living).toHaveLength(1);
    await world.clock.passes(1);
    await stopped;
    expect(world.children[0]!.signals).toEqual(['SIGTERM', 'SIGKILL']);
  });
});

describe('restart', () => {
  it('restarts one instance after another, and keeps the sockets', async () => {
    const group = await world.running({ instances: 2 });
    const restarted = operations.restart(everything(group), { A: '1' }, quiet);
    await settle(2);
    expect(world.log).toEqual(['sockets open', 'exit 1000', 'spawn 1002']);
    world.children[2]!.listens();
    await settle(2);
    world.children[3]!.listens();
    await restarted;
    expect(world.log).not.toContain('sockets close');
    expect(pidsOf(group)).toEqual([1_002, 1_003]);
    expect(world.children[3]!.plan.spec.env).toEqual({ A: '1' });
  });
});

it('a restart closes no socket of its only process, however long a write takes', async () => {
  const group = await world.running();
  const [old] = world.living;
  const { opened, open } = gate();
  world.kept = async () => (old!.signals.length > 0 ? opened : undefined);
  const restarted = operations.restart(everything(group), undefined, quiet);
  while (old!.signals.length === 0) await settle();
  old!.exits(0);
  await settle();
  expect(statesOf(group)).toEqual(['starting']);
  open();
  world.living[0]!.listens();
  await restarted;
  expect(world.log).not.toContain('sockets close');
});

it('a restart closes no socket of its only process, however many other starts come first', async () => {
  const group = await world.running();
  world.turn = () => settle(10);
  world.onLaunch = (child) => child.listens();
  await operations.restart(everything(group), undefined, quiet);
  expect(statesOf(group)).toEqual(['online']);
  expect(world.log).toEqual(['sockets open', 'exit 1000', 'spawn 1001']);
});

describe('a restart whose first process does not start', () => {
  it('leaves the others serving', async () => {
    const group = await world.running({ instances: 3, maxRestarts: 0 });
    const restarted = operations.restart(everything(group), undefined, quiet);
    const failed = expect(restarted).rejects.toMatchObject({ code: 'NOT_READY' });
    await settle(2);
    world.children[3]!.exits(1);
    await failed;
    expect(statesOf(group)).toEqual(['errored', 'online', 'online']);
    expect(pidsOf(group).slice(1)).toEqual([1_001, 1_002]);
  });
});

describe('an app that has given up', () => {
  it('keeps its sockets while any instance still serves, and closes them with the last', async () => {
    const group = await world.running({ instances: 2, maxRestarts: 0 });
    world.children[0]!.exits(1);
    expect(statesOf(group)).toEqual(['errored', 'online']);
    expect(world.log).not.toContain('sockets close');
    world.children[1]!.exits('SIGKILL');
    expect(statesOf(group)).toEqual(['errored', 'errored']);
    expect(world.log).toContain('sockets close');
    expect(group.processes[1]!.lastExit).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it('reports the error of the spawn', async () => {
    const group = await world.running({ maxRestarts: 0 });
    await operations.stop(everything(group));
    world.spawnError = new Error('EACCES');
    await expect(operations.start(everything(group), undefined, true, quiet)).rejects.toMatchObject({
      code: 'NOT_READY',
    });
    expect(world.events.at(-1)).toMatchObject({ type: 'giveup', lastError: 'EACCES' });
  });

  it('is retried with its sockets after `retryAfter`', async () => {
    const group = await world.running({ maxRestarts: 0, retryAfter: 90_000 });
    world.children[0]!.exits(1);
    expect(world.log).toEqual(['exit 1000', 'sockets close']);
    await world.clock.passes(89_999);
    expect(world.log).toHaveLength(2);
    await world.clock.passes(1);
    expect(world.log.slice(-2)).toEqual(['sockets open', 'spawn 1001']);
    world.children[1]!.exits(1);
    await world.clock.passes(89_999);
    expect(world.children).toHaveLength(2);
    expect(statesOf(group)).toEqual(['errored']);
    expect(group.processes[0]!.restarts).toBe(1);
  });

  it('is not retried after a stop, even while its sockets are being opened', async () => {
    const group = await world.running({ maxRestarts: 0, retryAfter: 100 });
    world.children[0]!.exits(1);
    group.sockets.open = () => {
      void operations.stop(everything(group));
      return Promise.resolve();
    };
    await world.clock.passes(1_000);
    expect(statesOf(group)).toEqual(['stopped']);
    expect(world.log.at(-1)).toBe('sockets close');
    expect(world.children).toHaveLength(1);
  });
});

describe('remove', () => {
  it('makes a command that is queued behind it fail', async () => {
    const group = await world.running();
    const removed = operations.remove(group, 'delete');
    const restarted = operations.restart(everything(group), undefined, quiet);
    await expect(restarted).rejects.toMatchObject({ code: 'NO_SUCH_APP' });
    await removed;
    expect(world.living).toEqual([]);
  });
});
