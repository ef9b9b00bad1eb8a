// Settings, messages, instances and metrics of `nsv/app`, without nsv and with a bridge that a test plays.
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SettingsListener } from '../../../src/ipc/app/bridge.ts';
import { bridgeKey } from '../../../src/ipc/app/bridge.ts';
import type { MetricSnapshot } from '../../../src/ipc/app/metric-views.ts';

type App = typeof import('../../../src/app/index.ts');

/** As the preload offers it, to a daemon that a test plays. */
class FakeBridge {
  readonly version = 1;
  readonly instances = 2;
  readonly told: object[] = [];
  readonly heard = new Map<string, (message: object) => void>();
  held = { version: 0, values: '{}' };
  hasDaemon = true;
  listener: SettingsListener | undefined;
  readMetrics: () => object = () => [];
  readCounts: () => string = () => '';
  greet = () => {};
  readonly settings = {
    held: () => this.held,
    listen: (listener: SettingsListener) => {
      this.listener = listener;
    },
  };
  tell = (news: object) => {
    if (this.hasDaemon) this.told.push(news);
    return this.hasDaemon;
  };
  hear = (type: string, listener: (message: object) => void) => void this.heard.set(type, listener);
  whenBack = () => {};
  whenGreeted = (report: () => void) => {
    const { greet } = this;
    this.greet = () => {
      greet();
      report();
    };
    if (this.hasDaemon) report();
  };
  offerMetrics = (read: () => object, readCounts: () => string) => {
    this.readMetrics = read;
    this.readCounts = readCounts;
  };

  changes(version: number, values: object): void {
    this.held = { version, values: JSON.stringify(values) };
    this.listener?.changed();
  }

  vote(values: object): Promise<string | undefined> {
    return new Promise((resolve) => this.listener?.check(JSON.stringify(values), resolve));
  }
}

/** The library as a process has it that has just started. */
async function load(bridge?: FakeBridge): Promise<App> {
  Reflect.deleteProperty(globalThis, Symbol.for('nsv.app'));
  Object.defineProperty(process, bridgeKey, { value: bridge, configurable: true });
  vi.resetModules();
  return import('../../../src/app/index.ts');
}

let bridge: FakeBridge;

beforeEach(() => {
  // `shared` keeps its parts in a property that cannot be replaced.
  const parts = (globalThis as { [key: symbol]: Map<string, unknown> | undefined })[Symbol.for('nsv.app')];
  parts?.clear();
  bridge = new FakeBridge();
});

// Other files of tests run in this process, too.
afterEach(() => void Reflect.deleteProperty(process, bridgeKey));

describe('without nsv', () => {
  it('there are no settings, no others to talk to, and one instance', async () => {
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
  it('are there at once, frozen, and change', async () => {
    bridge.held = { version: 3, values: '{"limit":1,"sizes":{"s":1}}' };
    const { settings } = await load(bridge);
    expect([settings.version, settings.get('limit')]).toEqual([3, 1]);
    expect(() => Object.assign(settings.get('sizes') as object, { s: 2 })).toThrow(TypeError);
    const heard: unknown[] = [];
    const handler = (...change: unknown[]) => heard.push(change);
    settings.on('change', handler);
    bridge.changes(4, { limit: 2, sizes: { s: 1 } });
    await turn();
    const before = { limit: 1, sizes: { s: 1 } };
    expect(heard).toEqual([
      [
        { limit: 2, sizes: { s: 1 } },
        { version: 4, keys: ['limit'], before },
      ],
    ]);
    settings.off('change', handler);
    bridge.changes(5, {});
    await turn();
    expect([heard.length, settings.get('limit')]).toEqual([1, undefined]);
    expect(() => settings.on('changed' as 'change', handler)).toThrow('there is "change"');
  });

  it('are rejected by what a check throws, rejects with or returns', async () => {
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

  it('are rejected by a check that does not come to an end', async () => {
    const { settings } = await load(bridge);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      settings.check(() => new Promise(() => {}));
      const voted = bridge.vote({});
      await vi.advanceTimersByTimeAsync(2_000);
      expect(await voted).toBe('a check did not finish within 2 s');
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('messages', () => {
  it('are received by each handler, and confirmed', async () => {
    const { onMessage } = await load(bridge);
    expect(bridge.told).toEqual([]);
    const heard: unknown[] = [];
    const end = onMessage((message, from) => heard.push([message, from.slot]));
    const receive = (text: string) => bridge.heard.get('broadcast')?.({ from: 1, text });
    for (const text of ['{"a":1}', 'not JSON', '2']) receive(text);
    await turn();
    await turn();
    expect(heard).toEqual([
      [{ a: 1 }, 1],
      [2, 1],
    ]);
    end();
    expect(bridge.told).toEqual([
      { type: 'takes-part', messages: true, metrics: false },
      { type: 'received', count: 3 },
      { type: 'takes-part', messages: false, metrics: false },
    ]);
  });

  it('are rejected if they are too large or too many', async () => {
    const { broadcast } = await load(bridge);
    await expect(broadcast('é'.repeat(40_000))).rejects.toMatchObject({ code: 'NSV_TOO_LARGE' });
    const sent = await Promise.allSettled(Array.from({ length: 300 }, () => broadcast(1)));
    const [refused] = sent.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    expect(refused).toMatchObject({ code: 'NSV_TOO_FAST' });
    expect(bridge.told.length).toBeLessThan(300);
  });

  it('wait for the greeting of the daemon', async () => {
    bridge.hasDaemon = false;
    const { broadcast } = await load(bridge);
    const sent = broadcast('early');
    await turn();
    bridge.hasDaemon = true;
    bridge.greet();
    await sent;
    expect(bridge.told).toEqual([{ type: 'broadcast', text: '"early"' }]);
  });

  it('are rejected while there is no daemon', async () => {
    bridge.hasDaemon = false;
    const { broadcast } = await load(bridge);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const sent = expect(broadcast(1)).rejects.toMatchObject({ code: 'NSV_NO_DAEMON' });
      await vi.advanceTimersByTimeAsync(2_000);
      await sent;
      // Nor do they fill the memory of an app that goes on sending.
      const parts = Reflect.get(globalThis, Symbol.for('nsv.app')) as Map<string, Set<unknown>>;
      expect(parts.get('waiting for the daemon')?.size).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('metrics', () => {
  const read = () => bridge.readMetrics() as MetricSnapshot[];

  it('are told when somebody looks, and not before', async () => {
    const { metric } = await load(bridge);
    const jobs = metric.counter('jobs_total', { help: 'Jobs done' });
    jobs.add();
    jobs.add(2, { status: 'ok', more: 1 });
    jobs.add(1, { more: 1, status: 'ok' });
    metric.gauge('depth', { merge: 'max' }).set(7);
    metric.gauge('depth').add(-2);
    const waits = metric.histogram('wait_seconds', { unit: 'seconds', buckets: [1, 5] });
    for (const value of [0.5, 1, 5.5, 2]) waits.record(value);
    expect(bridge.told).toEqual([{ type: 'takes-part', messages: false, metrics: true }]);
    const jobSeries = [
      { labels: {}, value: 1 },
      { labels: { status: 'ok', more: '1' }, value: 3 },
    ];
    const counts = JSON.parse(bridge.readCounts()) as MetricSnapshot[];
    expect(counts.map(({ name }) => name)).toEqual(['jobs_total', 'wait_seconds']);
    expect(read()).toEqual([
      { name: 'jobs_total', type: 'counter', help: 'Jobs done', unit: '', series: jobSeries },
      { name: 'depth', type: 'gauge', help: '', unit: '', merge: 'max', series: [{ labels: {}, value: 5 }] },
      {
        name: 'wait_seconds',
        type: 'histogram',
        help: '',
        unit: 'seconds',
        bounds: [1, 5],
        series: [{ labels: {}, value: 9, counts: [2, 1, 1] }],
      },
    ]);
  });

  it('fill no memory, whatever the labels are', async () => {
    const { metric } = await load(bridge);
    const hits = metric.counter('hits');
    for (let user = 0; user < 1_000; user += 1) hits.add(1, { user });
    const [{ series } = { series: [] }] = read();
    expect(series).toHaveLength(201);
    expect(series.at(-1)).toEqual({ labels: { overflow: 'true' }, value: 800 });
    expect(() => {
      for (let count = 0; count < 101; count += 1) metric.gauge(`g${count}`);
    }).toThrow(RangeError);
  });

  it('outlive the process without labels if they are too long, but with their sums', async () => {
    const { metric } = await load(bridge);
    const hits = metric.counter('hits');
    const waits = metric.histogram('waits', { buckets: [1] });
    for (let user = 0; user < 200; user += 1) {
      const labels = Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, `${user}${'x'.repeat(197)}`]));
      hits.add(2, labels);
      waits.record(user % 4, labels);
    }
    const text = bridge.readCounts();
    expect(text.length).toBeLessThan(1_000);
    const labels = { overflow: 'true' };
    expect((JSON.parse(text) as MetricSnapshot[]).map(({ series }) => series)).toEqual([
      [{ labels, value: 400 }],
      [{ labels, value: 300, counts: [100, 100] }],
    ]);
  });

  it('have one meaning each', async () => {
    const { metric } = await load(bridge);
    metric.counter('jobs');
    expect(() => metric.gauge('jobs')).toThrow(TypeError);
    expect(() => metric.counter('no-name')).toThrow(TypeError);
    expect(() => metric.counter('jobs').add(-1)).toThrow(RangeError);
    expect(() => metric.gauge('g').set(Number.NaN)).toThrow(TypeError);
    expect(() => metric.histogram('h', { buckets: [2, 1] })).toThrow(TypeError);
    expect(() => metric.counter('jobs').add(1, { 'a b': 1 })).toThrow(TypeError);
  });
});
