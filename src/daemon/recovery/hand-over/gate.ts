// Makes commands wait while another daemon takes over. Requests that only read are answered meanwhile, and commands
// that abort others do not wait either.
import { effectOf, type Handlers, type MethodName, type Report } from '../../../ipc/protocol.ts';

type Handle = (params: unknown, report: Report, ...rest: unknown[]) => unknown;

export class Gate {
  #running = 0;
  #opened: Promise<void> | undefined;

  /** How many commands have begun and not ended. */
  get running(): number {
    return this.#running;
  }

  /** No command begins until the returned function is called. */
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

  /** Loops, because the gate may be closed again before this request continues. */
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
