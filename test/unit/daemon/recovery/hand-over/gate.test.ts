import { describe, expect, it } from 'vitest';
import { Gate } from '../../../../../src/daemon/recovery/hand-over/gate.ts';
import type { Handlers, MethodName } from '../../../../../src/ipc/protocol.ts';
import { settle } from '../../../../helpers/fake-clock.ts';

function stage() {
  const gate = new Gate();
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const told: string[] = [];
  const names: MethodName[] = ['list', 'start', 'stop', 'kill', 'follow', 'upgrade'];
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
    void guarded[name]?.({}, (text) => told.push(text));
    await settle();
  };
  return { gate, begun, call, told, end: (name: string) => ends.get(name)?.() };
}

describe('while the gate is closed', () => {
  it('a command waits, says so, and begins when it is open again', async () => {
    const { gate, begun, call, told } = stage();
    const open = gate.close();
    await call('start');
    expect(begun).toEqual([]);
    expect(told).toEqual(['waiting for the new daemon to take over']);
    open();
    await settle();
    expect(begun).toEqual(['start']);
  });

  it.each(['list', 'follow', 'kill', 'stop'] as const)('%s does not wait', async (name) => {
    const { gate, begun, call } = stage();
    gate.close();
    await call(name);
    expect(begun).toEqual([name]);
  });

  it('what waited goes on waiting when it is closed again at once', async () => {
    const { gate, begun, call } = stage();
    const open = gate.close();
    await call('start');
    open();
    const again = gate.close();
    await settle();
    expect(begun).toEqual([]);
    again();
    await settle();
    expect(begun).toEqual(['start']);
  });
});

describe('the gate counts', () => {
  it('commands until they end, those that end others too, and nothing else', async () => {
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
