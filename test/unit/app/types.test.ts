// The types of `nsv/app`. What is not called here is checked by the compiler (`npm run types`).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type * as declared from '../../../app/index.cjs';
import * as app from '../../../src/app/index.ts';

const declarations = readFileSync(join(import.meta.dirname, '..', '..', '..', 'app', 'index.d.cts'), 'utf8');

describe('the types of nsv/app', () => {
  it('declare exactly what the module exports', () => {
    const names = [...declarations.matchAll(/^export declare (?:const|function) (\w+)/gm)].map(([, name]) => name);
    expect(Object.keys(app).sort()).toEqual(names.sort());
  });

  it('match the implementation', () => {
    // The compiler adds `default` to what a CommonJS module declares.
    expectTypeOf<typeof app>().toExtend<Omit<typeof declared, 'default'>>();
    expectTypeOf<Omit<typeof declared, 'default'>>().toExtend<typeof app>();
  });

  it('describe the instance', () => {
    expectTypeOf(app.instance).toEqualTypeOf<declared.Instance>();
    expectTypeOf<declared.Instance>().toEqualTypeOf<{
      readonly app: string | null;
      readonly slot: number;
      readonly id: number | null;
      readonly instances: number;
      readonly release: string | null;
    }>();
  });

  it('describe readiness', () => {
    expectTypeOf(app.ready).toEqualTypeOf<() => void>();
    expectTypeOf(app.notReady).toEqualTypeOf<(reason?: string) => void>();
    expectTypeOf(app.isReady).toEqualTypeOf<() => boolean>();
    expectTypeOf(app.whenReady).toEqualTypeOf<() => Promise<void>>();
    // @ts-expect-error a reason is text
    const wrong = () => app.notReady(5);
    expect(wrong).toBeTypeOf('function');
  });

  it('describe a shutdown', () => {
    expectTypeOf(app.onShutdown).parameters.toEqualTypeOf<
      [handler: (context: declared.ShutdownContext) => unknown, options?: { name?: string; timeout?: number }]
    >();
    expectTypeOf(app.onShutdown).returns.toEqualTypeOf<() => void>();
    expectTypeOf<declared.ShutdownContext>().toEqualTypeOf<{
      readonly signal: AbortSignal;
      readonly deadline: number;
      readonly reason: string;
    }>();
    expectTypeOf(app.shutdown).toEqualTypeOf<(reason?: string) => void>();
    expectTypeOf(app.isShuttingDown).toEqualTypeOf<() => boolean>();
    expectTypeOf(app.shutdownSignal).toEqualTypeOf<() => AbortSignal>();
    expectTypeOf(app.setShutdownTimeout).toEqualTypeOf<(ms: number) => void>();
    expectTypeOf(app.beacon).toEqualTypeOf<(context?: unknown) => { die(): void }>();
    // @ts-expect-error no such option
    const wrong = () => app.onShutdown(() => {}, { deadline: 5 });
    expect(wrong).toBeTypeOf('function');
  });

  it('describe a watchdog timer', () => {
    const use = () => {
      const timer = app.createWatchdogTimer({
        timeout: 1_000,
        onTimeout({ consequentTimeouts }) {
          expectTypeOf(consequentTimeouts).toEqualTypeOf<number>();
        },
      });
      expectTypeOf(timer).toEqualTypeOf<{ reset(): void; refresh(): void; destroy(): void }>();
      // @ts-expect-error the function is missing
      app.createWatchdogTimer({ timeout: 1_000 });
    };
    expect(use).toBeTypeOf('function');
  });

  it('describe a lightship, awaited or not', () => {
    const use = async () => {
      const lightship = app.createLightship({ timeout: 5_000, signals: ['SIGTERM'] });
      expectTypeOf(lightship.isServerShuttingDown()).toEqualTypeOf<boolean>();
      expectTypeOf(await lightship).toEqualTypeOf<declared.Lightship>();
      expectTypeOf(lightship.createBeacon({ jobId: 1 }).die()).toEqualTypeOf<Promise<void>>();
      expectTypeOf(lightship.server).toExtend<import('node:http').Server>();
      lightship.registerShutdownHandler(async () => {});
      lightship.queueBlockingTask(Promise.resolve(1));
      // @ts-expect-error not a promise
      lightship.queueBlockingTask(() => {});
      // @ts-expect-error no such option
      app.createLightship({ prot: 9_000 });
    };
    expect(use).toBeTypeOf('function');
  });

  it('describe settings', () => {
    expectTypeOf(app.settings).toEqualTypeOf<declared.Settings>();
    expectTypeOf(app.settings.version).toEqualTypeOf<number>();
    expectTypeOf(app.settings.get()).toEqualTypeOf<Readonly<Record<string, unknown>>>();
    expectTypeOf(app.settings.get('limit')).toEqualTypeOf<unknown>();
    expectTypeOf(app.settings.get<number>('limit')).toEqualTypeOf<number | undefined>();
    expectTypeOf(app.settings.check(() => false)).toEqualTypeOf<() => void>();
    type Handler = Parameters<typeof app.settings.on>[1];
    expectTypeOf<Parameters<Handler>>().toEqualTypeOf<[declared.SettingValues, declared.SettingsChange]>();
    expectTypeOf<declared.SettingsChange>().toEqualTypeOf<{
      readonly version: number;
      readonly keys: readonly string[];
      readonly before: declared.SettingValues;
    }>();
    // @ts-expect-error there is one event
    expect(() => app.settings.on('changed', () => {})).toThrow(TypeError);
  });

  it('describe messages between instances', () => {
    expectTypeOf(app.broadcast).toEqualTypeOf<(message: unknown) => Promise<void>>();
    type Handler = (message: unknown, from: { readonly slot: number }) => void;
    expectTypeOf(app.onMessage).parameter(0).toEqualTypeOf<Handler>();
    expectTypeOf(app.onMessage).returns.toEqualTypeOf<() => void>();
    expectTypeOf(app.instances).toEqualTypeOf<() => Promise<declared.InstanceInfo[]>>();
    expectTypeOf<declared.InstanceInfo>().toEqualTypeOf<{
      readonly slot: number;
      readonly id: number | null;
      readonly pid: number;
      readonly host: string;
      readonly alive: boolean;
      readonly since: number;
      readonly lastSeen: number;
    }>();
  });

  it('describe metrics', () => {
    expectTypeOf(app.metric).toEqualTypeOf<declared.Metrics>();
    expectTypeOf(app.metric.counter).parameters.toEqualTypeOf<[name: string, options?: declared.MetricOptions]>();
    expectTypeOf(app.metric.gauge).parameters.toEqualTypeOf<[name: string, options?: declared.GaugeOptions]>();
    expectTypeOf(app.metric.histogram).parameters.toEqualTypeOf<[name: string, options?: declared.HistogramOptions]>();
    expectTypeOf<declared.Counter['add']>().toEqualTypeOf<(value?: number, labels?: declared.MetricLabels) => void>();
    expectTypeOf<declared.Gauge['set']>().toEqualTypeOf<(value: number, labels?: declared.MetricLabels) => void>();
    expectTypeOf<declared.Histogram['record']>().toEqualTypeOf<
      (value: number, labels?: declared.MetricLabels) => void
    >();
    // @ts-expect-error a rule has a name
    const wrong = () => app.metric.gauge('g', { merge: 'mean' });
    expect(wrong).toBeTypeOf('function');
  });
});
