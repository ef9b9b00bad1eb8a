// What is done about the answers, on a clock that is turned by hand.
import { Socket } from 'node:net';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Group } from '../../../../src/daemon/apps/group.ts';
import { launch, stop } from '../../../../src/daemon/apps/operations.ts';
import { everything } from '../../../../src/daemon/apps/registry.ts';
import { probesOf } from '../../../../src/daemon/probes/probes.ts';
import { beginProbing } from '../../../../src/daemon/probes/probing.ts';
import { settle } from '../../../helpers/fake-clock.ts';
import { FakeWorld, pidsOf, statesOf } from '../../../helpers/fake-host.ts';

let world: FakeWorld;
/** Pids of the processes that were asked, in order. */
let asked: number[];
/** Pids of those that do not take connections. */
let deaf: Set<number>;
/** What becomes of a connection for one that does. */
let taken: Promise<boolean | undefined>;
let isListening: boolean;

beforeEach(() => {
  world = new FakeWorld();
  asked = [];
  deaf = new Set();
  taken = Promise.resolve(true);
  isListening = true;
  world.probing = {
    serversOf: () => (isListening ? [{ key: 'tcp|*|3000||0', speaks: 'any' }] : []),
    async connect({ pid }) {
      asked.push(pid);
      return { socket: new Socket(), taken: deaf.has(pid) ? Promise.resolve(false) : taken };
    },
  };
  world.onLaunch = (child) => child.listens();
});

const deps = () => ({ clock: world.clock, control: world.host, events: world.bus, log: () => {} });

/** Begins what the daemon begins by itself. */
function probeAll(group: Group): void {
  for (const process of group.all) if (process.child) beginProbing(group, process, process.child, deps());
}

async function running(settings: Record<string, unknown>): Promise<Group> {
  const group = world.group({ instances: 2, ...settings });
  const launched = launch(group, true, () => {});
  await settle(2);
  probeAll(group);
  await world.clock.passes(250);
  await launched;
  asked.length = 0;
  return group;
}

describe('a ready probe', () => {
  it('asks each process once per interval, and takes a failing one out of the queue until it succeeds', async () => {
    const group = await running({ readyProbe: { tcp: ':3000', failures: 2 } });
    const [first, second] = pidsOf(group) as [number, number];
    await world.clock.passes(10_000);
    expect(asked.toSorted()).toEqual([first, second]);
    deaf.add(second);
    await world.clock.passes(10_000);
    expect(group.processes[1]!.unready).toBeNull();
    await world.clock.passes(10_000);
    expect(group.processes.map(({ unready }) => unready)).toEqual([
      null,
      'tcp://:3000: it has closed its server, 2 times in a row',
    ]);
    expect(world.log).toContain(`queue without ${second}`);
    deaf.clear();
    await world.clock.passes(10_000);
    expect(group.processes[1]!.unready).toBeNull();
    expect(world.log.at(-1)).toBe(`queue with ${second}`);
    expect(pidsOf(group)).toEqual([first, second]);
  });

  it('gives the reason if a process does not listen or does not accept the connection', async () => {
    const group = await running({ instances: 1, readyProbe: { tcp: ':3000', failures: 1 } });
    isListening = false;
    await world.clock.passes(10_000);
    expect(group.processes[0]!.unready).toBe('tcp://:3000: it does not listen on port 3000');
    isListening = true;
    await world.clock.passes(10_000);
    expect(group.processes[0]!.unready).toBeNull();
    taken = new Promise(() => {});
    await world.clock.passes(11_000);
    expect(group.processes[0]!.unready).toBe('tcp://:3000: no answer within 1s');
  });

  it('has no result for a process whose channel is lost during the probe', async () => {
    const group = await running({ instances: 1, readyProbe: { tcp: ':3000', failures: 1 } });
    taken = Promise.resolve(undefined);
    await world.clock.passes(30_000);
    expect([group.processes[0]!.unready, asked.length]).toEqual([null, 3]);
  });

  it('waits for a process that has lost its broker, but not forever', async () => {
    const group = await running({ instances: 1, readyProbe: { tcp: ':3000', failures: 1 } });
    await world.clock.passes(100_000);
    Object.assign(world.living[0]!, { isAway: true });
    world.probing.serversOf = () => undefined;
    await world.clock.passes(20_000);
    expect(group.processes[0]!.unready).toBeNull();
    await world.clock.passes(30_000);
    expect(group.processes[0]!.unready).toBe('tcp://:3000: it has not connected to the new daemon');
  });

  it('continues with the result of an earlier daemon, and keeps the process out of the queue until it succeeds', async () => {
    const group = await running({ readyProbe: { tcp: ':3000', successes: 2 } });
    const [process] = group.processes;
    process!.probed('said before');
    world.log.length = 0;
    beginProbing(group, process!, process!.child!, deps());
    await world.clock.passes(9_000);
    expect(process!.unready).toBe('said before');
    expect(world.log).toEqual([`queue without ${process!.child!.pid}`]);
    await world.clock.passes(10_000);
    expect(process!.unready).toBeNull();
  });

  it('ends with the process, and leaves no timer', async () => {
    const group = await running({ readyProbe: { tcp: ':3000' }, liveProbe: { tcp: ':3000' } });
    await Promise.all([stop(everything(group)), world.clock.passes(0)]);
    await world.clock.passes(60_000);
    expect([statesOf(group), asked, world.clock.pending]).toEqual([['stopped', 'stopped'], [], 0]);
  });
});

describe('a live probe', () => {
  it('replaces a failing process, and reports the reason', async () => {
    const group = await running({ liveProbe: { tcp: ':3000', failures: 2, initialDelay: 5_000 } });
    const [first, second] = pidsOf(group) as [number, number];
    deaf.add(second);
    await world.clock.passes(40_000);
    expect(pidsOf(group)[0]).toBe(first);
    expect(pidsOf(group)[1]).not.toBe(second);
    const reason = 'tcp://:3000: it has closed its server, 2 times in a row';
    const reported = world.events.filter(({ type }) => type === 'not-alive');
    expect(reported).toEqual([expect.objectContaining({ pid: second, slot: 1, reason })]);
    expect(group.processes.map(({ restarts }) => restarts)).toEqual([0, 1]);
    const spawned = world.log.indexOf(`spawn ${pidsOf(group)[1]}`);
    expect(spawned).toBeGreaterThan(-1);
    expect(world.log.indexOf(`exit ${second}`)).toBeGreaterThan(spawned);
    const left = world.log.indexOf(`queue without ${second}`);
    expect([left > -1, left < spawned]).toEqual([true, true]);
  });

  it('reports a failing process once, however long its successor takes', async () => {
    const group = await running({ liveProbe: { tcp: ':3000', failures: 1 } });
    deaf = new Set(pidsOf(group) as number[]);
    world.onLaunch = () => {};
    await world.clock.passes(50_000);
    expect(world.events.filter(({ type }) => type === 'not-alive')).toHaveLength(2);
  });

  it('begins after its initial delay once the process is ready', async () => {
    const group = world.group({ liveProbe: { tcp: ':3000', interval: 1_000, initialDelay: 30_000 }, waitReady: true });
    launch(group, false, () => {}).catch(() => {});
    await settle();
    probeAll(group);
    await world.clock.passes(20_000);
    world.living[0]!.says('ready');
    await settle();
    await world.clock.passes(29_000);
    expect(asked).toEqual([]);
    await world.clock.passes(2_000);
    expect(asked.length).toBeGreaterThan(0);
  });
});

it('an app without a probe gets no probing and no timer', async () => {
  const group = await running({});
  const before = world.clock.pending;
  const began = () => probesOf(deps()).began(group, group.processes[0]!, group.processes[0]!.child!);
  expect(began()).toBeUndefined();
  await settle();
  expect(world.clock.pending).toBe(before);
});
