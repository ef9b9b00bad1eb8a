import { describe, expect, it } from 'vitest';
import { Gate } from '../../../../../src/daemon/recovery/hand-over/gate.ts';
import type { Handlers, MethodName } from '../../../../../src/ipc/protocol.ts';
import { settle, watched } from '../../../../helpers/fake-clock.ts';

function stage() {
  const gate = new Gate();
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const reported: string[] = [];
  const names: MethodName[] = ['list', 'start', 'save', 'stop', 'kill', 'follow', 'upgrade'];
  const handlers = Object.fromEntries(
    names.map((name) => [
      name,
      () => {
        begun.push(name);
        return new Promise<void>((resolve) => ends.set(name, resolve));
      },
    ]),
  );
  const guarded = gate.around(handlers as unknown as Handlers) as unknown as Record<
    string,
    (params: object, report: (text: string) => void) => unknown
  >;
  const call = async (name: MethodName) => {
    void guarded[name]?.({}, (text) => reported.push(text));
    await settle();
  };
  return { gate, begun, call, reported, end: (name: string) => ends.get(name)?.() };
}

describe('an announced hand-over', () => {
  it('delays a command that changes apps, with a note, until it is called off', async () => {
    const { gate, begun, call, reported } = stage();
    const hold = await gate.announce();
    await call('start');
    expect(begun).toEqual([]);
    expect(reported).toEqual(['waiting for the new daemon to take over']);
    hold.cancel();
    await settle();
    expect(begun).toEqual(['start']);
  });

  it.each(['list', 'follow', 'kill', 'stop', 'save'] as const)('does not delay %s', async (name) => {
    const { gate, begun, call } = stage();
    await gate.announce();
    await call(name);
    expect(begun).toEqual([name]);
  });

  it('keeps a command waiting if the next one is announced at once', async () => {
    const { gate, begun, call } = stage();
    const hold = await gate.announce();
    await call('start');
    hold.cancel();
    const next = await gate.announce();
    await settle();
    expect(begun).toEqual([]);
    next.cancel();
    await settle();
    expect(begun).toEqual(['start']);
  });
});

it('the gate announces one hand-over at a time', async () => {
  const { gate } = stage();
  const first = await gate.announce();
  const second = watched(gate.announce());
  await settle();
  expect(second.isOver).toBe(false);
  first.cancel();
  expect(await second.over).toBeDefined();
});

describe('a hand-over under way', () => {
  it.each(['start', 'save'] as const)('delays %s', async (name) => {
    const { gate, begun, call } = stage();
    const hold = await gate.announce();
    hold.transfer();
    await call(name);
    expect(begun).toEqual([]);
    hold.cancel();
    await settle();
    expect(begun).toEqual([name]);
  });

  it.each(['list', 'follow', 'kill', 'stop'] as const)('does not delay %s', async (name) => {
    const { gate, begun, call } = stage();
    (await gate.announce()).transfer();
    await call(name);
    expect(begun).toEqual([name]);
  });
});

describe('the gate', () => {
  it('counts commands that change apps until they end, including stop, and nothing else', async () => {
    const { gate, call, end } = stage();
    for (const name of ['list', 'follow', 'kill', 'upgrade'] as const) await call(name);
    expect(gate.running).toBe(0);
    await call('start');
    await call('stop');
    expect(gate.running).toBe(2);
    end('start');
    await settle();
    expect(gate.running).toBe(1);
  });
});
