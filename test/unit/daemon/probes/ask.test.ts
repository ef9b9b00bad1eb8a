import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { probe } from '../../../../src/config/options/probe.ts';
import type { Child } from '../../../../src/daemon/launch/launcher.ts';
import { askProbe } from '../../../../src/daemon/probes/ask.ts';

describe('a probe that is withdrawn while its connection is being made', () => {
  it.each(['http://:3000/', 'https://:3000/', 'tcp://:3000'])('closes its socket: %s', async (address) => {
    const [abort, socket] = [new AbortController(), new Socket()];
    const probing = {
      serversOf: () => [{ key: 'tcp|*|3000||0', speaks: 'any' as const }],
      async connect() {
        abort.abort(new Error('withdrawn'));
        return { socket, taken: new Promise<boolean>(() => {}) };
      },
    };
    const child = { plan: { spec: { node: true } } } as Child;
    const asking = { probing, control: undefined as never, mayBeAway: () => true };
    await expect(askProbe(probe(address), child, asking, abort.signal)).rejects.toThrow('withdrawn');
    expect(socket.destroyed).toBe(true);
  });
});

describe('a process that has not reported its servers', () => {
  const asked = (child: object, isExpected: boolean) => {
    const probing = { serversOf: () => undefined, connect: () => expect.unreachable() };
    const asking = { probing, control: undefined as never, mayBeAway: () => isExpected };
    const of = { plan: { spec: { node: true } }, ...child } as Child;
    return askProbe(probe('tcp://:3000'), of, asking, new AbortController().signal);
  };

  it('is not probed, and fails if it has not connected to the new daemon in time', async () => {
    expect(await asked({}, false)).toBeUndefined();
    expect(await asked({ isAway: false }, false)).toBeUndefined();
    expect(await asked({ isAway: true }, true)).toBeUndefined();
    await expect(asked({ isAway: true }, false)).rejects.toThrow('it has not connected to the new daemon');
  });
});
