// Keeps commands waiting while another daemon takes over. What only looks is answered meanwhile, and what ends the work of
// others does not wait for them.
import { effectOf, type Handlers, type MethodName, type Report } from '../../../ipc/protocol.ts';

type Handle = (params: unknown, report: Report, ...rest: unknown[]) => unknown;

export class Gate {
  #running = 0;
  #opened: Promise<void> | undefined;

  /** Commands that have begun and not ended. */
  get running(): number {
    return this.#running;
  }

  /** Until the returned function is called no command begins. */
  close(): () => void {
    let open = () => {};
    this.#opened = new Promise((resolve) => {
      open = resolve;
    });
    return () => {
      this.#opened = undefined;
      open();
    };
  }

  around(handlers: Handlers): Handlers {
    const passed = Object.entries(handlers).map(([name, handle]) => {
      const { waitsForHandOver, delaysHandOver } = effectOf(name as MethodName);
      if (!waitsForHandOver && !delaysHandOver) return [name, handle];
      const entered: Handle = async (params, report, ...rest) => {
        if (waitsForHandOver) await this.#enter(report);
        return this.#count(delaysHandOver ? 1 : 0, () => (handle as Handle)(params, report, ...rest));
      };
      return [name, entered];
    });
    return Object.fromEntries(passed) as Handlers;
  }

  /** Of two that wait for the same opening one may close it again. */
  async #enter(report: Report): Promise<void> {
    while (this.#opened) {
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
