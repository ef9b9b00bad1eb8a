// The library `nsv/app` as a process has it, with a bridge that a test plays.
import { onTestFinished, vi } from 'vitest';
import type { SettingsListener } from '../../src/ipc/app/bridge.ts';
import { bridgeKey } from '../../src/ipc/app/bridge.ts';

type App = typeof import('../../src/app/index.ts');

/** As the preload offers it, to a daemon that a test plays. */
export class FakeBridge {
  readonly version = 1;
  readonly instances = 2;
  readonly sent: object[] = [];
  readonly handlers = new Map<string, (message: object) => void>();
  held = { version: 0, values: '{}' };
  hasDaemon = true;
  listener: SettingsListener | undefined;
  readMetrics: () => object = () => [];
  readCounts: () => string = () => '';
  back = () => {};
  readonly settings = {
    held: () => this.held,
    listen: (listener: SettingsListener) => {
      this.listener = listener;
    },
  };
  send = (message: object) => {
    if (this.hasDaemon) this.sent.push(message);
    return this.hasDaemon;
  };
  onMessage = (type: string, handle: (message: object) => void) => void this.handlers.set(type, handle);
  onReconnected = (report: () => void) => {
    const { back } = this;
    this.back = () => {
      back();
      report();
    };
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
export async function load(bridge?: FakeBridge): Promise<App> {
  // `shared` keeps its parts in a property that cannot be replaced.
  const parts = Reflect.get(globalThis, Symbol.for('nsv.app')) as Map<string, unknown> | undefined;
  parts?.clear();
  // Other files of tests run in this process, too.
  onTestFinished(() => void Reflect.deleteProperty(process, bridgeKey));
  Object.defineProperty(process, bridgeKey, { value: bridge, configurable: true });
  vi.resetModules();
  return import('../../src/app/index.ts');
}
