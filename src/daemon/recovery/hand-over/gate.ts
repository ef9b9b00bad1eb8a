// Makes commands wait while another daemon takes over. Requests that only read are answered meanwhile, and commands
// that abort others do not wait either.
import { effectOf, type Handlers, type HandOverStage, type MethodName, type Report } from '../../../ipc/protocol.ts';
import { deferred } from '../../../shared/promises.ts';

export interface HandOverHold {
  /** From now on all commands wait, but for those that cut others short. */
  transfer(): void;
  /** Commands begin again. */
  cancel(): void;
}

type Handle = (params: unknown, report: Report, ...rest: unknown[]) => unknown;

export class Gate {
  #running = 0;
  #stage: HandOverStage | undefined;
  #opened: Promise<void> | undefined;

  /** How many commands have begun and not ended. */
  get running(): number {
    return this.#running;
  }

  /** From now on commands that change apps wait until the hand-over is called off. One hand-over at a time. */
  async announce(): Promise<HandOverHold> {
    while (this.#stage) await this.#opened;
    const { promise, resolve: open } = deferred();
    this.#stage = 'announced';
    this.#opened = promise;
    return {
      transfer: () => {
        this.#stage = 'transfer';
      },
      cancel: () => {
        this.#stage = undefined;
        open();
      },
    };
  }

  around(handlers: Handlers): Handlers {
    const passed = Object.entries(handlers).map(([name, handle]) => {
      const { waitsFrom, delaysHandOver } = effectOf(name as MethodName);
      if (!waitsFrom && !delaysHandOver) return [name, handle];
      const entered: Handle = async (params, report, ...rest) => {
        if (waitsFrom) await this.#enter(waitsFrom, report);
        return this.#count(delaysHandOver ? 1 : 0, () => (handle as Handle)(params, report, ...rest));
      };
      return [name, entered];
    });
    return Object.fromEntries(passed) as Handlers;
  }

  /** Loops, because the next hand-over may be announced before this request continues. */
  async #enter(waitsFrom: HandOverStage, report: Report): Promise<void> {
    while (this.#stage && (this.#stage === 'transfer' || waitsFrom === 'announced')) {
      report('waiting for the new daemon to take over');
      await this.#opened;
    }
  }

  async #count(weight: number, run: () => unknown): Promise<unknown> {
    this.#running += weight;
    try {
      return await run();
    } finally {
      this.#running -= weight;
    }
  }
}
