// The end of everything, within one budget of time whatever the apps' own kill timeouts add up to.
import * as operations from '../daemon/apps/operations.ts';
import type { Registry } from '../daemon/apps/registry.ts';
import type { Clock } from '../shared/clock.ts';
import { endOrphans } from './orphans.ts';

export interface StopDeps {
  registry: Registry;
  clock: Clock;
  /** Milliseconds for all of it. */
  budget: number;
  /** Resolves when those who had to be told of a giveup have been: as process 1 nsv would end the command with itself. */
  alerted(): Promise<unknown>;
  /** Resolves when what was printed has been passed on: a reader may be slow. */
  drained(): Promise<void>;
  /** Resolves when every command that asked has its answer. */
  farewell(): Promise<void>;
}

/** Of the budget, for what is killed to be gone. */
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

  /** `ask`: the signal that asks the apps, instead of each one's own. Resolves when nothing is left, or time is up. */
  async run(ask?: NodeJS.Signals): Promise<void> {
    const { registry, clock, budget } = this.#deps;
    for (const group of registry.groups) {
      if (ask) group.adjust({ stopSignal: ask });
      // From now on clients are refused, not left in a queue from which nobody takes them any more.
      group.sockets.close();
    }
    const reserve = Math.min(longestReserve, budget * share);
    const cancels = [clock.after(budget - reserve, () => this.hurry())];
    const timeUp = new Promise<void>((resolve) => cancels.push(clock.after(budget, resolve)));
    await Promise.race([this.#all(), timeUp]);
    for (const cancel of cancels) cancel();
  }

  /** Kills what is still there. */
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

  /** Who asks twice does not wait for a reader that reads no more. */
  async #lastMoment(): Promise<void> {
    await this.#late;
    await new Promise<void>((resolve) => this.#deps.clock.after(longestReserve, resolve));
  }
}
