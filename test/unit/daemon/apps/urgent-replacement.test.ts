// A process whose event loop is blocked is replaced as soon as its successor is ready.
import { expect, it } from 'vitest';
import { replace } from '../../../../src/daemon/apps/operations.ts';
import type { DeathCause } from '../../../../src/ipc/records/deaths.ts';
import { settle, watched } from '../../../helpers/fake-clock.ts';
import { FakeWorld, pidsOf } from '../../../helpers/fake-host.ts';

it.each<[cause: DeathCause, uptime: boolean, end: boolean]>([
  ['blocked loop', false, false],
  ['memory limit', true, true],
])(
  'a replacement because of a "%s" waits for the successor to stay up: %s, and for the end of the old process: %s',
  async (cause, waitsForUptime, waitsForEnd) => {
    const world = new FakeWorld();
    const group = await world.running({ killTimeout: '5s' });
    world.onLaunch = (child) => child.listens();
    // It ends when it is killed.
    world.onSignal = (child, signal) => signal === 'SIGKILL' && child.exits(signal);
    const [old] = world.children;
    const recycled = watched(replace(group, group.processes[0]!, { cause }));
    await settle(5);
    expect(pidsOf(group)[0] === old!.pid).toBe(waitsForUptime);
    await world.clock.passes(1_100);
    expect([pidsOf(group)[0] === old!.pid, old!.alive, recycled.isOver]).toEqual([false, true, !waitsForEnd]);
    await world.clock.passes(6_000);
    await recycled.over;
    expect(old!.alive).toBe(false);
    await settle();
    expect(group.all).toHaveLength(1);
  },
);

it.each<[cause: DeathCause, isAway: boolean, endsFirst: boolean]>([
  ['blocked loop', true, true],
  ['probe', true, true],
  ['probe', false, false],
  ['memory limit', true, false],
])('one because of a "%s", of a process that is away: %s, may begin with the old one: %s', async (...given) => {
  const [cause, isAway, endsFirst] = given;
  const world = new FakeWorld();
  const group = await world.running({ killTimeout: '1s' });
  const old = world.children[0]!;
  Object.assign(old, { isAway });
  // It keeps the address of its successor, and ends when it is killed.
  world.onLaunch = (child) => (old.alive ? child.exits(1) : child.listens());
  world.onSignal = (child, signal) => signal === 'SIGKILL' && child.exits(signal);
  const recycled = replace(group, group.processes[0]!, { cause }).catch(() => {});
  for (let turn = 0; turn < 10; turn += 1) {
    await settle();
    await world.clock.passes(1_000);
  }
  await recycled;
  expect(old.alive).toBe(!endsFirst);
});
