// What one question turns on in the process, and turns off when it is over.
import { Session } from 'node:inspector';

/** Those of Node, whatever the app has replaced. */
export interface Timers {
  setTimeout: typeof setTimeout;
  setImmediate: typeof setImmediate;
  clearTimeout: typeof clearTimeout;
}

export class Inspection {
  readonly #timers: Timers;
  readonly #endings: (() => void)[] = [];
  #session: Session | undefined;
  #isOver = false;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Sends a command to the process's own inspector. Closing it undoes what commands have turned on. */
  post<T>(method: string, params: object = {}): Promise<T> {
    this.#expectOpen();
    this.#session ??= connected();
    const session = this.#session;
    return new Promise((resolve, reject) => {
      session.post(method, params, (error, result) => (error ? reject(error) : resolve(result as T)));
    });
  }

  /** Does not keep the process alive. Rejects if nobody wants the answer any longer. */
  wait(ms: number): Promise<void> {
    this.#expectOpen();
    return new Promise((resolve, reject) => {
      const timer = this.#timers.setTimeout(resolve, ms);
      timer.unref();
      this.#endings.push(() => {
        this.#timers.clearTimeout(timer);
        reject(new Error('the question was withdrawn'));
      });
    });
  }

  /** Called when the question is answered, or nobody wants the answer any longer. */
  onClose(end: () => void): void {
    this.#expectOpen();
    this.#endings.push(end);
  }

  /** Resolves when the event loop has turned once more, with everything that was pending. */
  turned(): Promise<void> {
    const { setImmediate } = this.#timers;
    return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  }

  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const end of this.#endings) end();
    this.#session?.disconnect();
  }

  #expectOpen(): void {
    if (this.#isOver) throw new Error('the question was withdrawn');
  }
}

function connected(): Session {
  const session = new Session();
  session.connect();
  return session;
}
