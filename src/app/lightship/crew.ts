// What a lightship does at the end: it waits for its beacons and for its delay, and calls its handlers in the order in which they
// were registered. If the process does not end by itself then, it is terminated.
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
  /** Resolves when the handlers have run, or there was no time for them. */
  readonly ended = new Promise<void>((resolve) => {
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
      },
    };
    this.#beacons.set(beacon, context);
    return beacon;
  }

  /** A delay of one's own is cut where nsv leaves too little time for it: the handlers matter more. */
  begin({ limit = Number.POSITIVE_INFINITY }: Why): void {
    const { gracefulShutdownTimeout, shutdownDelay } = this.#options.settings;
    this.hasBegun = true;
    this.#begunAt = now();
    this.#limit = Math.min(gracefulShutdownTimeout, limit);
    this.#delay = Math.min(shutdownDelay, limit / 2);
  }

  async run(): Promise<boolean> {
    const rest = this.#begunAt + this.#limit - now();
    const result = await within(Math.max(0, rest), this.#perform(), late);
    if (result === late) print(`the shutdown took longer than ${Math.round(this.#limit)} ms`, ...this.#contexts);
    this.#options.close();
    this.#resolve();
    return result === true;
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

  async #perform(): Promise<boolean> {
    await this.#outlastBeacons();
    await wait(Math.max(0, this.#begunAt + this.#delay - now()));
    const { shutdownHandlerTimeout } = this.#options.settings;
    const result = await within(shutdownHandlerTimeout, this.#callAll(), late);
    if (result === late) print(`the shutdown handlers took longer than ${shutdownHandlerTimeout} ms`);
    return result === true;
  }

  #outlastBeacons(): Promise<void> {
    if (this.#beacons.size === 0) return Promise.resolve();
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
