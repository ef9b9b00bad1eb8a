import { beforeEach, describe, expect, it } from 'vitest';
import type { Group } from '../../../../src/daemon/apps/group.ts';
import * as operations from '../../../../src/daemon/apps/operations.ts';
import { everything } from '../../../../src/daemon/apps/registry.ts';
import { parseGroupRecord } from '../../../../src/daemon/state/group-record.ts';
import { settle } from '../../../helpers/fake-clock.ts';
import { FakeWorld, pidsOf, quiet, statesOf } from '../../../helpers/fake-host.ts';

let world: FakeWorld;

beforeEach(() => {
  world = new FakeWorld();
});

const reload = (group: Group, options: Parameters<typeof operations.reload>[1] = {}) =>
  operations.reload(everything(group), options, quiet);

describe('reload', () => {
  it('stops an old process only after the new one is ready, one slot after another', async () => {
    const group = await world.running({ instances: 2 });
    const reloaded = reload(group);
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

  it('keeps the old processes when the first new one listens and then dies, and they say so as long as they run', async () => {
    const group = await world.running({ instances: 2 });
    const failed = expect(reload(group)).rejects.toMatchObject({ code: 'RELOAD_FAILED' });
    await settle();
    world.children[2]!.listens();
    await world.clock.passes(500);
    world.children[2]!.exits(1);
    await failed;
    expect(world.living.map(({ pid }) => pid)).toEqual([1_000, 1_001]);
    expect(pidsOf(group)).toEqual([1_000, 1_001]);
    const details = () => group.processes.map(({ failedReload }) => failedReload?.detail ?? null);
    const detail = 'exit code 1';
    expect(details()).toEqual([detail, detail]);
    expect(parseGroupRecord(group.record(), 'app').processes).toMatchObject([{ failedReload: { detail } }, {}]);
    world.children[0]!.exits(1);
    await world.clock.passes(1_000);
    expect(details()).toEqual([null, detail]);
  });

  it('has not failed if another command interrupts it', async () => {
    const group = await world.running();
    const reloaded = expect(reload(group)).rejects.toMatchObject({ code: 'INTERRUPTED' });
    await settle();
    const stopped = operations.stop(everything(group));
    await reloaded;
    await stopped;
    expect(group.processes[0]!.failedReload).toBeNull();
  });

  it('stops the old process only after the new one listens on the same addresses', async () => {
    const group = await world.running();
    const reported: string[] = [];
    const reloaded = operations.reload(everything(group), {}, (text) => reported.push(text));
    await settle();
    world.missing.set(1_001, ['3000']);
    world.children[1]!.listens();
    await world.clock.passes(29_999);
    expect(world.log).toEqual(['spawn 1001']);
    expect(reported).toContain('waiting for web (instance 0) to also listen on 3000');
    world.missing.clear();
    world.children[1]!.listens();
    await reloaded;
    expect(world.log).toEqual(['spawn 1001', 'exit 1000']);
  });

  it('waits no longer than the listen timeout if the new process listens elsewhere', async () => {
    const group = await world.running();
    const reloaded = reload(group);
    await settle();
    world.missing.set(1_001, ['3000']);
    world.children[1]!.listens();
    await world.clock.passes(30_000);
    await reloaded;
    expect(pidsOf(group)).toEqual([1_001]);
  });

  it('keeps the old process when the new one dies before it listens on the same addresses', async () => {
    const group = await world.running();
    const failed = expect(reload(group)).rejects.toMatchObject({ code: 'RELOAD_FAILED' });
    await settle();
    world.missing.set(1_001, ['3000']);
    world.children[1]!.listens();
    await world.clock.passes(5_000);
    world.children[1]!.exits(1);
    await failed;
    expect(pidsOf(group)).toEqual([1_000]);
  });

  it('replaces as many at once as requested', async () => {
    const group = await world.running({ instances: 3 });
    const reloaded = reload(group, { parallel: 2 });
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
      reason: 'it did not listen within 30s, unlike the process before it',
    },
  ])('keeps the old processes when the new one $what', async ({ fails, reason }) => {
    const group = await world.running({ instances: 2 });
    const failed = expect(reload(group)).rejects.toMatchObject({
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

  it('succeeds once the new process holds the slot, even if a stop follows', async () => {
    const group = await world.running();
    world.onSignal = () => {};
    const reloaded = reload(group);
    await settle();
    world.children[1]!.listens();
    await world.clock.passes(1_000);
    await settle();
    expect(pidsOf(group)).toEqual([1_001]);
    const stopped = operations.stop(everything(group));
    await settle();
    world.children[0]!.exits('SIGTERM');
    await reloaded;
    await settle();
    world.children[1]!.exits('SIGTERM');
    await stopped;
    expect(statesOf(group)).toEqual(['stopped']);
  });

  it('waits for a reload that is under way: the two are never interleaved', async () => {
    const group = await world.running();
    const reports: string[] = [];
    const first = reload(group);
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
    expect(reports[0]).toBe('waiting for "reload" on web to finish');
    expect(world.log.filter((line) => /spawn|exit/.test(line))).toEqual([
      'spawn 1001',
      'exit 1000',
      'spawn 1002',
      'exit 1001',
    ]);
  });

  describe('to another program', () => {
    const program = { script: '/v2.js', cwd: '/', interpreter: '/bin/node', interpreterArgs: [], node: true };

    it('starts the new one, and keeps it', async () => {
      const group = await world.running();
      const reloaded = reload(group, { program, env: { A: '2' } });
      await settle();
      expect(world.children[1]!.plan.spec).toMatchObject({ script: '/v2.js', env: { A: '2' } });
      world.children[1]!.listens();
      await world.clock.passes(1_000);
      await reloaded;
      expect(group.spec).toMatchObject({ script: '/v2.js', env: { A: '2' } });
    });

    it('restarts crashed processes with the old program until the first new one is good', async () => {
      const group = await world.running({ instances: 2 });
      const reloaded = reload(group, { program });
      const scriptOf = (index: number) => world.children[index]!.plan.spec.script;
      await settle();
      world.children[1]!.exits(1);
      expect([scriptOf(2), scriptOf(3)]).toEqual(['/v2.js', '/app.js']);
      world.children[2]!.listens();
      world.onLaunch = (child) => child.listens();
      await world.clock.passes(1_000);
      world.children[3]!.exits(1);
      expect(scriptOf(4)).toBe('/v2.js');
      await reloaded;
      expect(group.spec.script).toBe('/v2.js');
    });

    it.each([
      { what: 'fails', ends: () => world.children[1]!.exits(1), code: 'RELOAD_FAILED' },
      { what: 'is ended by a stop', ends: (group: Group) => operations.stop(everything(group)), code: 'INTERRUPTED' },
    ])('keeps the old settings if it $what', async ({ ends, code }) => {
      const group = await world.running();
      const before = group.spec;
      const failed = expect(reload(group, { program, env: { A: '2' } })).rejects.toMatchObject({ code });
      await settle();
      await ends(group);
      await failed;
      expect(group.spec).toEqual(before);
    });

    it('keeps the old settings if a later process fails, although the first new ones stay', async () => {
      const group = await world.running({ instances: 2 });
      const before = group.spec;
      const failed = expect(reload(group, { program })).rejects.toMatchObject({ code: 'RELOAD_FAILED' });
      await settle();
      world.children[2]!.listens();
      world.onLaunch = (child) => child.exits(1);
      await world.clock.passes(1_000);
      await failed;
      expect(pidsOf(group)).toEqual([1_002, 1_001]);
      expect(group.spec).toEqual(before);
    });

    it('rejects a program without Node for a Node app', async () => {
      const group = await world.running();
      const other = { ...program, script: '/v2.py', node: false };
      const reloaded = reload(group, { program: other });
      await expect(reloaded).rejects.toMatchObject({
        code: 'BAD_OPTION',
        message: expect.stringContaining('--script "/v2.py" is not a Node program'),
      });
      expect(world.children).toHaveLength(1);
    });
  });

  it('restarts programs that bind their own ports, each only after the previous one is ready', async () => {
    const group = await world.running({ node: false, instances: 2, waitReady: true });
    const changes = () => world.log.filter((line) => /spawn|exit/.test(line));
    const reloaded = reload(group);
    await settle(2);
    await world.clock.passes(20_000);
    expect(changes()).toEqual(['exit 1000', 'spawn 1002']);
    world.children[2]!.says('ready');
    await settle(2);
    expect(changes()).toEqual(['exit 1000', 'spawn 1002', 'exit 1001', 'spawn 1003']);
    world.children[3]!.says('ready');
    await reloaded;
  });
});

describe('a process that takes messages', () => {
  it('is stopped by a message instead of a signal, and its unfinished requests are counted', async () => {
    const group = await world.running({ shutdownWithMessage: true });
    const [child] = world.children;
    child!.takesMessages = true;
    const stopped = operations.stop(everything(group));
    await settle();
    expect(child!.sent.at(-1)).toMatchObject({ type: 'drain', signal: 'SIGTERM', killTimeout: 5_000, message: true });
    child!.sends({ type: 'draining' });
    child!.sends({ type: 'in-flight', count: 2 });
    await world.clock.passes(5_000);
    await stopped;
    expect(new Set(child!.signals)).toEqual(new Set(['SIGKILL']));
    expect(group.processes[0]!.cutShort).toBe(2);
    expect(world.events).toContainEqual(expect.objectContaining({ type: 'requests-cut', requests: 2 }));
  });
});
