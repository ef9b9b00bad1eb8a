// When a socket of an app is closed because nobody will accept on it any more.
import { beforeEach, describe, expect, it } from 'vitest';
import * as operations from '../../../../src/daemon/apps/operations.ts';
import { everything } from '../../../../src/daemon/apps/registry.ts';
import { unusedFrom } from '../../../../src/daemon/apps/sockets/held-sockets.ts';
import type { Child } from '../../../../src/daemon/launch/launcher.ts';
import type { In, State } from '../../../../src/daemon/process/lifecycle/state.ts';
import { settle } from '../../../helpers/fake-clock.ts';
import { FakeWorld, quiet, statesOf } from '../../../helpers/fake-host.ts';

const [user, other] = [{ pid: 1 }, { pid: 2 }] as Child[];
const running = { failures: 0, pid: 2, since: 1_000 };
const stopping = (after: In<'stopping'>['after']): State => {
  const rest = { deadline: 0, answerBy: null, killAt: 0, gone: false, overdue: false, why: null };
  return { kind: 'stopping', pid: 2, since: 1_000, ...rest, after };
};
const states = {
  stopped: { kind: 'stopped' },
  errored: { kind: 'errored', reason: 'it crashed', deadline: 99_000 },
  spawning: { kind: 'spawning', failures: 0 },
  starting: { kind: 'starting', ...running, loadedAt: null, deadline: 2_000, late: false },
  late: { kind: 'starting', ...running, loadedAt: null, deadline: null, late: true },
  online: { kind: 'online', ...running, loadedAt: 0 },
  younger: { kind: 'online', ...running, since: 5_000, loadedAt: 5_000 },
  backoff: { kind: 'backoff', failures: 1, deadline: 9_000 },
  leaving: stopping({ kind: 'rest' }),
  'given up': stopping({ kind: 'giveup', reason: 'it crashed' }),
  'restarted by a command': stopping({ kind: 'start' }),
  'restarted by nsv': stopping({ kind: 'again', delay: 0, failures: 1 }),
} satisfies Record<string, State>;
type Name = keyof typeof states;

/** What else runs besides a process that was given the socket, if `isUsed`. They have ten seconds to listen. */
function from(names: readonly Name[], { isUsed = false, isKept = true, hasAll = false } = {}): number {
  const about = { listenTimeout: 10_000, hasAll };
  const processes = names.map((name) => ({ child: other, state: states[name] as State, ...about }));
  const users = isUsed ? [{ child: user, state: states.leaving as State, ...about }] : [];
  return unusedFrom({ isKept, isOf: (child) => child === user }, [...users, ...processes]);
}

const [always, never] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];

describe('a socket that no process was given', () => {
  it.each<[names: Name[], expected: number]>([
    [[], always],
    [['stopped', 'errored', 'leaving', 'given up'], always],
    [['spawning'], never],
    [['starting'], never],
    [['late'], never],
    [['backoff'], never],
    [['restarted by a command'], never],
    [['restarted by nsv'], never],
    [['online'], 11_000],
    [['online', 'younger', 'stopped', 'leaving'], 15_000],
    [['online', 'starting'], never],
  ])('is unused beside processes that are %j from %d on', (names, expected) => {
    expect(from(names)).toBe(expected);
  });

  it('is unused at once if all processes that are ready listen in as many places as those before them', () => {
    expect(from(['online', 'younger'], { hasAll: true })).toBe(always);
    expect(from(['online', 'starting'], { hasAll: true })).toBe(never);
  });

  it('is unused at once if it was opened when the process had been up for a while', () => {
    expect(from(['backoff', 'starting', 'online'], { isKept: false })).toBe(always);
  });
});

describe('a socket that a process was given', () => {
  it.each<[Name[]]>([[[]], [['online']], [['stopped']]])('stays in use while that process leaves: %j', (names) => {
    expect(from(names, { isUsed: true, hasAll: true })).toBe(never);
    expect(from(names, { isUsed: true, isKept: false })).toBe(never);
  });
});

describe('an app', () => {
  let world: FakeWorld;
  const closes = () => world.log.filter((line) => line.startsWith('close'));

  beforeEach(() => {
    world = new FakeWorld();
    world.onLaunch = (child) => child.listens();
  });

  it('closes a socket after a restart of all processes that were given it, once the new ones had time to listen', async () => {
    const group = await world.running({ instances: 2, listenTimeout: '10s' });
    world.holds('3000', 1_000, 1_001);
    await operations.restart(everything(group), undefined, quiet);
    await world.clock.passes(9_999);
    expect(closes()).toEqual([]);
    await world.clock.passes(1);
    expect(closes()).toEqual(['close 3000']);
  });

  it('closes a socket after a crash, once the next process had time to listen', async () => {
    const group = await world.running({ listenTimeout: '10s', restartDelay: '1m' });
    world.holds('3000', 1_000);
    world.children[0]!.exits(1);
    await world.clock.passes(59_999);
    expect([statesOf(group), closes()]).toEqual([['backoff'], []]);
    await world.clock.passes(10_001);
    expect([statesOf(group), closes()]).toEqual([['online'], ['close 3000']]);
  });

  it('closes a socket when the only process that was given it is scaled away, as the others had time to listen', async () => {
    const group = await world.running({ instances: 2, listenTimeout: '10s' });
    world.holds('3000', 1_001);
    await world.clock.passes(10_000);
    expect(closes()).toEqual([]);
    await operations.scale(group, 1, quiet);
    expect(closes()).toEqual(['close 3000']);
  });

  it('closes a socket as soon as a process listens in as many places as the one before it', async () => {
    const group = await world.running({ listenTimeout: '10s' });
    world.holds('3000', 1_000);
    world.settled.add(1_001);
    await operations.restart(everything(group), undefined, quiet);
    expect(closes()).toEqual(['close 3000']);
  });

  it('keeps a socket open when only the number of processes changes', async () => {
    const group = await world.running({ listenTimeout: '10s' });
    world.holds('3000', 1_000);
    await operations.scale(group, 3, quiet);
    await world.clock.passes(60_000);
    expect(closes()).toEqual([]);
  });

  it('closes all sockets when its last process is stopped, and leaves no timer', async () => {
    const group = await world.running();
    world.holds('3000');
    await operations.stop(everything(group));
    await settle();
    expect(world.log).toContain('sockets close');
    expect(world.clock.pending).toBe(0);
  });
});
