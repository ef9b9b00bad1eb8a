// What a lightship does at the end: it waits for its delay, in which new work may still come, then for its beacons, and calls its handlers in
// the order in which they were registered. If the process does not end by itself then, it is terminated.
import type { BeaconController, LightshipShutdownHandler } from '../../../app/index.cjs';
import { now, wait, within } from '../clock.ts';
import { print } from '../print.ts';
import type { Participant, Why } from '../shutdown/ending.ts';
import type { LightshipSettings } from './settings.ts';

/** Milliseconds for the process to end by itself, after the last handler. */
const exitDelay = 1_000;
const late = Symbol('late');

export interface CrewOptions {
  settings: LightshipSettings;
  /** The probes need not be answered any longer. */
  close(): void;
  terminate(): void;
}

export class Crew implements Participant {
  hasBegun = false;
  readonly #options: CrewOptions;
  readonly #handlers: LightshipShutdownHandler[] = [];
  readonly #beacons = new Map<BeaconController, object | undefined>();
  #resolve = () => {};
  /** Resolves when the handlers have run, or there was no time for them, and another lightship can begin. */
  readonly over = new Promise<void>((resolve) => {
    this.#resolve = resolve;
  });
  #beaconsGone: (() => void) | undefined;
  #begunAt = 0;
  #limit = 0;
  #delay = 0;

  constructor(options: CrewOptions) {
    this.#options = options;
  }

  add(handler: LightshipShutdownHandler): void {
    this.#handlers.push(handler);
  }

  light(context?: object): BeaconController {
    const beacon: BeaconController = {
      die: async () => {
        this.#beacons.delete(beacon);
        if (this.#beacons.size === 0) this.#beaconsGone?.();
        // The first handler is called before whoever awaits the death of the last one has its turn.
        await new Promise<void>((resolve) => process.nextTick(resolve));
      },
    };
    this.#beacons.set(beacon, context);
    return beacon;
  }

  /** A delay of one's own is cut where nsv leaves too little time for it: the handlers matter more. */
  begin({ limit = Number.POSITIVE_INFINITY }: Why): void {
    this.hasBegun = true;
    this.#begunAt = now();
    this.#limit = limit;
    this.#delay = Math.min(this.#options.settings.shutdownDelay, limit / 2);
  }

  async run(): Promise<boolean> {
    const isClean = await this.#perform();
    this.#options.close();
    return isClean;
  }

  ended(): void {
    this.#resolve();
  }

  async exit(code: number): Promise<void> {
    if (code === 0) {
      await wait(exitDelay, { isWaitedFor: false });
      print(`the process has not ended by itself within ${exitDelay} ms: something keeps its event loop alive`);
    }
    this.#options.terminate();
  }

  get #contexts(): object[] {
    return [...this.#beacons.values()].filter((context) => context !== undefined);
  }

  /** Milliseconds that nsv leaves. */
  get #rest(): number {
    return Math.max(0, this.#begunAt + this.#limit - now());
  }

  /** Without a delay and beacons, the first handler is called before it returns. */
  async #perform(): Promise<boolean> {
    const { gracefulShutdownTimeout, shutdownHandlerTimeout } = this.#options.settings;
    const delay = this.#begunAt + this.#delay - now();
    if (delay > 0) await wait(delay);
    if (this.#beacons.size > 0) {
      const limit = Math.min(gracefulShutdownTimeout, this.#rest);
      if ((await within(limit, this.#outlastBeacons(), late)) === late) {
        print(`the beacons did not die within ${Math.round(limit)} ms`, ...this.#contexts);
        return false;
      }
    }
    const limit = Math.min(shutdownHandlerTimeout, this.#rest);
    const result = await within(limit, this.#callAll(), late);
    if (result === late) print(`the shutdown handlers took longer than ${Math.round(limit)} ms`);
    return result === true;
  }

  #outlastBeacons(): Promise<void> {
    return new Promise((resolve) => {
      this.#beaconsGone = resolve;
    });
  }

  async #callAll(): Promise<boolean> {
    let isClean = true;
    for (const handler of this.#handlers) {
      try {
        await handler();
      } catch (error) {
        isClean = false;
        print('a shutdown handler failed:', error);
      }
    }
    return isClean;
  }
}
