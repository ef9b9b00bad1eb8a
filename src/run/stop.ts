// Stops everything within one time limit, however long the kill timeouts of the apps are.
import * as operations from '../daemon/apps/operations.ts';
import type { Registry } from '../daemon/apps/registry.ts';
import type { Clock } from '../shared/clock.ts';
import { endOrphans } from './orphans.ts';
import type { Asking } from './signals.ts';

export interface StopDeps {
  registry: Registry;
  clock: Clock;
  /** Milliseconds for the whole stop. */
  budget: number;
  /** Resolves when the giveup commands have ended: if nsv is process 1, its exit would kill them. */
  alerted(): Promise<unknown>;
  /** Resolves when all output has been passed on: its reader may be slow. */
  drained(): Promise<void>;
  /** Resolves when every pending command has been answered. */
  farewell(): Promise<void>;
}

/** The share of the budget reserved for killed processes to exit. */
const share = 0.1;
const longestReserve = 500;

export class Stop {
  readonly #deps: StopDeps;
  #isLate = false;
  #giveIn = () => {};
  readonly #late = new Promise<void>((resolve) => {
    this.#giveIn = resolve;
  });

  constructor(deps: StopDeps) {
    this.#deps = deps;
  }

  /** Resolves when nothing is left, or the budget is used up. */
  async run(ask?: Asking): Promise<void> {
    const { registry, clock, budget } = this.#deps;
    for (const group of registry.groups) {
      if (ask === 'interrupt') group.isInterrupted = true;
      else if (ask) group.adjust({ stopSignal: ask });
      // From now on, clients are refused instead of waiting in a queue that no process accepts from.
      group.sockets.close();
    }
    const reserve = Math.min(longestReserve, budget * share);
    const cancels = [clock.after(budget - reserve, () => this.hurry())];
    const timeUp = new Promise<void>((resolve) => cancels.push(clock.after(budget, resolve)));
    await Promise.race([this.#all(), timeUp]);
    for (const cancel of cancels) cancel();
  }

  /** Kills all remaining processes. */
  hurry(): void {
    this.#isLate = true;
    this.#giveIn();
    for (const group of this.#deps.registry.groups) for (const each of group.all) each.kill();
  }

  async #all(): Promise<void> {
    const { registry, clock, alerted, drained, farewell } = this.#deps;
    await Promise.all(registry.groups.map((group) => operations.remove(group, 'the end of nsv run')));
    await Promise.race([alerted(), this.#late]);
    await endOrphans(clock, () => this.#isLate);
    await Promise.race([drained(), this.#lastMoment()]);
    await farewell();
  }

  /** After a second request to stop, gives up waiting for a reader that no longer reads. */
  async #lastMoment(): Promise<void> {
    await this.#late;
    await new Promise<void>((resolve) => this.#deps.clock.after(longestReserve, resolve));
  }
}
