// Stops everything within one time limit, however long the kill timeouts of the apps are.
import * as operations from '../daemon/apps/operations.ts';
import type { Registry } from '../daemon/apps/registry.ts';
import { killHooks } from '../daemon/launch/hook.ts';
import { hasProc, type Identity } from '../os/proc.ts';
import { shellAbove } from '../os/process-1.ts';
import { lookAround } from '../os/process-table.ts';
import { sendSignal } from '../os/terminate.ts';
import { type Clock, pause } from '../shared/clock.ts';
import type { StopRequest } from './signals.ts';

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
  drainClients(): Promise<void>;
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
  async run(ask?: StopRequest): Promise<void> {
    const { registry, clock, budget } = this.#deps;
    for (const group of registry.groups) {
      if (ask === 'interrupt') group.isInterrupted = true;
      else if (ask) group.overrideSettings({ stopSignal: ask });
      // From now on, clients are refused instead of waiting in a queue that no process accepts from.
      group.sockets.close();
    }
    const reserve = Math.min(longestReserve, budget * share);
    const cancels = [clock.after(budget - reserve, () => this.killRemaining())];
    const timeUp = new Promise<void>((resolve) => cancels.push(clock.after(budget, resolve)));
    await Promise.race([this.#all(), timeUp]);
    for (const cancel of cancels) cancel();
  }

  /** Kills all remaining processes. */
  killRemaining(): void {
    this.#isLate = true;
    this.#giveIn();
    for (const group of this.#deps.registry.groups) for (const each of group.all) each.kill();
    killHooks();
  }

  async #all(): Promise<void> {
    const { registry, clock, alerted, drained, drainClients } = this.#deps;
    await Promise.all(registry.groups.map((group) => operations.remove(group, 'the shutdown of nsv run')));
    await Promise.race([alerted(), this.#late]);
    await endOrphans(clock, () => this.#isLate);
    await Promise.race([drained(), this.#lastMoment()]);
    await drainClients();
  }

  /** After a second request to stop, gives up waiting for a reader that no longer reads. */
  async #lastMoment(): Promise<void> {
    await this.#late;
    await pause(this.#deps.clock, longestReserve);
  }
}

/** Milliseconds between two checks. */
const interval = 20;

/**
 * Ends the processes that the apps of a container left behind: only process 1 can find them. Asks them to exit, and kills them once
 * `isLate`. Resolves when none is left.
 */
async function endOrphans(clock: Clock, isLate: () => boolean): Promise<void> {
  if (!isContainer()) return;
  const asked = new Set<number>();
  for (let left = orphans(); left.length > 0; left = orphans()) {
    for (const who of left) {
      if (isLate()) sendSignal(who, 'SIGKILL');
      else if (!asked.has(who.pid)) sendSignal(who, 'SIGTERM');
      asked.add(who.pid);
    }
    await pause(clock, interval);
  }
}

/** All descendants of process 1 but nsv. Processes started from outside (`docker exec`) have the parent 0. */
function orphans(): Identity[] {
  const { byParent } = lookAround();
  const below = new Set((byParent.get(1) ?? []).filter(({ pid }) => pid !== process.pid));
  // Iterating a set also visits the elements added on the way.
  for (const { pid } of below) for (const child of byParent.get(pid) ?? []) below.add(child);
  return [...below].filter(({ alive }) => alive);
}

/**
 * Whether process 1 is nsv or its `sh`, which passes its pid in the environment. On a machine where process 1 is
 * systemd or the like, every process is its descendant.
 */
function isContainer(): boolean {
  return hasProc && (process.pid === 1 || shellAbove() === 1);
}
