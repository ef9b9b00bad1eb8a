// Settings, messages and instances of `nsv/app`, without nsv and with a bridge that a test plays.
import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { FakeBridge, load } from '../../helpers/fake-bridge.ts';

let bridge: FakeBridge;

beforeEach(() => {
  bridge = new FakeBridge();
});

function useFakeTimeouts(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

describe('nsv/app without nsv', () => {
  it('has no settings, drops messages, and lists only its own instance', async () => {
    const { settings, broadcast, onMessage, instances, metric } = await load();
    expect([settings.version, settings.get(), settings.get('limit')]).toEqual([0, {}, undefined]);
    settings.on('change', () => {}).check(() => false)();
    onMessage(() => {})();
    await broadcast({ a: 1 });
    expect(await instances()).toEqual([expect.objectContaining({ slot: 0, id: null, pid: process.pid, alive: true })]);
    metric.counter('jobs').add();
    await expect(broadcast(undefined)).rejects.toThrow(TypeError);
  });
});

describe('settings', () => {
  it('are available at once, are frozen, and emit changes', async () => {
    bridge.held = { version: 3, values: '{"limit":1,"sizes":{"s":1}}' };
    const { settings } = await load(bridge);
    expect([settings.version, settings.get('limit')]).toEqual([3, 1]);
    expect(() => Object.assign(settings.get('sizes') as object, { s: 2 })).toThrow(TypeError);
    const received: unknown[] = [];
    const handler = (...change: unknown[]) => received.push(change);
    settings.on('change', handler);
    bridge.changes(4, { limit: 2, sizes: { s: 1 } });
    await turn();
    const before = { limit: 1, sizes: { s: 1 } };
    expect(received).toEqual([
      [
        { limit: 2, sizes: { s: 1 } },
        { version: 4, keys: ['limit'], before },
      ],
    ]);
    settings.off('change', handler);
    bridge.changes(5, {});
    await turn();
    expect([received.length, settings.get('limit')]).toEqual([1, undefined]);
    expect(() => settings.on('changed' as 'change', handler)).toThrow('there is "change"');
  });

  it('are rejected if a check throws, rejects or returns false', async () => {
    const { settings } = await load(bridge);
    settings.get();
    expect(await bridge.vote({})).toBe(undefined);
    const checks: [check: () => unknown, reason: string | undefined][] = [
      [() => undefined, undefined],
      [() => true, undefined],
      [() => false, 'a check returned false'],
      [() => Promise.resolve(false), 'a check returned false'],
      [() => Promise.reject(new Error('no')), 'no'],
      [
        () => {
          throw 'text';
        },
        'text',
      ],
    ];
    for (const [check, reason] of checks) {
      const remove = settings.check(check);
      expect(await bridge.vote({})).toBe(reason);
      remove();
    }
    const seen: unknown[] = [];
    bridge.changes(1, { limit: 1 });
    settings.check((...values) => void seen.push(...values));
    await bridge.vote({ limit: 2 });
    expect(seen).toEqual([{ limit: 2 }, { limit: 1 }]);
  });

  it('count as checked until the last check is removed', async () => {
    const { settings } = await load(bridge);
    const [first, second] = [settings.check(() => true), settings.check(() => true)];
    first();
    expect(bridge.sent.at(-1)).toMatchObject({ type: 'capabilities', checks: true });
    second();
    expect(bridge.sent.at(-1)).toMatchObject({ type: 'capabilities', checks: false });
  });

  it('are rejected if a check does not finish within two seconds', async () => {
    const { settings } = await load(bridge);
    useFakeTimeouts();
    settings.check(() => new Promise(() => {}));
    const voted = bridge.vote({});
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await voted).toBe('a check did not finish within 2 s');
  });
});

describe('messages', () => {
  it('are parsed, passed to the handler and acknowledged', async () => {
    const { onMessage } = await load(bridge);
    expect(bridge.sent).toEqual([]);
    const received: unknown[] = [];
    const end = onMessage((message, from) => received.push([message, from.slot]));
    const receive = (text: string) => bridge.handlers.get('broadcast')?.({ from: 1, text });
    for (const text of ['{"a":1}', 'not JSON', '2']) receive(text);
    await turn();
    await turn();
    expect(received).toEqual([
      [{ a: 1 }, 1],
      [2, 1],
    ]);
    end();
    expect(bridge.sent).toEqual([
      { type: 'capabilities', messages: true, metrics: false, checks: false },
      { type: 'broadcasts-received', count: 3 },
      { type: 'capabilities', messages: false, metrics: false, checks: false },
    ]);
  });

  it('are rejected if they are too large or too many', async () => {
    const { broadcast } = await load(bridge);
    await expect(broadcast('é'.repeat(40_000))).rejects.toMatchObject({ code: 'NSV_TOO_LARGE' });
    const sent = await Promise.allSettled(Array.from({ length: 300 }, () => broadcast(1)));
    const [refused] = sent.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    expect(refused).toMatchObject({ code: 'NSV_TOO_FAST' });
    expect(bridge.sent.length).toBeLessThan(300);
  });

  it('wait for the next daemon if there is none', async () => {
    bridge.hasDaemon = false;
    const { broadcast } = await load(bridge);
    const sent = broadcast('early');
    await turn();
    bridge.hasDaemon = true;
    bridge.back();
    await sent;
    expect(bridge.sent).toEqual([{ type: 'broadcast', text: '"early"' }]);
  });

  it('are rejected if no daemon comes back within two seconds', async () => {
    bridge.hasDaemon = false;
    const { broadcast } = await load(bridge);
    useFakeTimeouts();
    const sent = expect(broadcast(1)).rejects.toMatchObject({ code: 'NSV_NO_DAEMON' });
    await vi.advanceTimersByTimeAsync(2_000);
    await sent;
    // Nor do they fill the memory of an app that goes on sending.
    const parts = Reflect.get(globalThis, Symbol.for('nsv.app')) as Map<string, Set<unknown>>;
    expect(parts.get('waiting for the daemon')?.size).toBe(0);
  });
});
