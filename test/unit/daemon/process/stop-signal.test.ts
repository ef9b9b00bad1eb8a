// The signal of a process that does not answer the request to stop: its event loop is blocked.
import { describe, expect, it } from 'vitest';
import { signalsFor } from '../../../../src/config/stop-signal.ts';
import { stop } from '../../../../src/daemon/apps/operations.ts';
import { marker, stopSignalOf } from '../../../../src/ipc/worker-messages.ts';
import { settle } from '../../../helpers/fake-clock.ts';
import { FakeWorld } from '../../../helpers/fake-host.ts';

type Row = [
  setting: Parameters<typeof signalsFor>[0],
  isInterrupted: boolean,
  handled: NodeJS.Signals[],
  expected: NodeJS.Signals,
];

describe('the signal that asks a program to stop', () => {
  it.each<Row>([
    ['auto', false, [], 'SIGTERM'],
    ['auto', false, ['SIGTERM'], 'SIGTERM'],
    ['auto', false, ['SIGINT'], 'SIGINT'],
    ['auto', false, ['SIGINT', 'SIGTERM'], 'SIGTERM'],
    ['auto', true, [], 'SIGINT'],
    ['auto', true, ['SIGTERM'], 'SIGTERM'],
    ['auto', true, ['SIGINT', 'SIGTERM'], 'SIGINT'],
    ['SIGTERM', true, ['SIGINT'], 'SIGTERM'],
    ['SIGUSR2', false, ['SIGINT', 'SIGTERM'], 'SIGUSR2'],
  ])('is chosen: %s (interrupted: %j) with handlers of %j: %s', (setting, isInterrupted, handled, expected) => {
    expect(stopSignalOf(signalsFor(setting, isInterrupted), (signal) => handled.includes(signal))).toBe(expected);
  });
});

describe('a process whose event loop is blocked', () => {
  it.each<[told: NodeJS.Signals[], expected: NodeJS.Signals]>([
    [[], 'SIGTERM'],
    [['SIGINT'], 'SIGINT'],
    [['SIGINT', 'SIGTERM'], 'SIGTERM'],
  ])('gets a signal by its reported handlers: %j gives %s', async (told, expected) => {
    const world = new FakeWorld();
    const group = await world.running({ killTimeout: 8_000 });
    const [child] = world.children;
    child!.takesMessages = true;
    for (const signal of told) child!.sends({ cmd: marker, type: 'handles', signal });
    world.onSignal = (one, signal) => one.exits(signal);
    const stopped = stop({ group, slots: [0] });
    await settle();
    expect(child!.signals).toEqual([]);
    await world.clock.passes(1_000);
    expect(child!.signals).toEqual([expected]);
    await stopped;
  });
});
