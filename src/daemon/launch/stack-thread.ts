// The daemon's end of the pipe to a thread of a process, which tells the stack of its main thread.
import type { Socket } from 'node:net';
import { realClock } from '../../shared/clock.ts';

/** Milliseconds for an answer. */
const timeout = 3_000;
/** Characters. */
const longestAnswer = 512 * 1024;

export class StackThread {
  /** The descriptor in the process. */
  readonly fd: number;
  readonly #pipe: Socket;
  #received = '';
  /** Answers that nobody waits for any longer. */
  #owed = 0;
  #onAnswer: ((value: unknown) => void) | undefined;

  constructor(pipe: Socket, fd: number) {
    this.fd = fd;
    this.#pipe = pipe;
    pipe.unref();
    pipe.on('error', () => {});
    pipe.setEncoding('utf8').on('data', (text: string) => this.#receive(text));
    pipe.on('close', () => this.#onAnswer?.(undefined));
  }

  /** Has the main thread evaluate code. Rejects with the reason if it cannot. What it returns is that of a stranger. */
  async evaluate(expression: string): Promise<unknown> {
    if (this.#pipe.destroyed) throw new Error('it has closed the pipe to its thread');
    if (this.#onAnswer) throw new Error('it is being asked already');
    const value = await new Promise<unknown>((resolve, reject) => {
      const cancel = realClock.after(timeout, () => {
        this.#onAnswer = undefined;
        this.#owed += 1;
        reject(new Error('it runs code outside of JavaScript, which cannot be interrupted'));
      });
      this.#onAnswer = (answer) => {
        cancel();
        resolve(answer);
      };
      this.#pipe.write(`${JSON.stringify(expression)}\n`);
    });
    this.#onAnswer = undefined;
    return value;
  }

  /** Who says something else than answers is not listened to any longer. */
  #receive(text: string): void {
    if (!this.#onAnswer && this.#owed === 0) this.#pipe.destroy();
    this.#received += text;
    const end = this.#received.indexOf('\n');
    if (this.#received.length > longestAnswer) this.#pipe.destroy();
    if (end === -1) return;
    const line = this.#received.slice(0, end);
    this.#received = '';
    if (this.#owed > 0) {
      this.#owed -= 1;
      return;
    }
    try {
      this.#onAnswer?.((JSON.parse(line) as { value?: unknown } | null)?.value);
    } catch {
      this.#pipe.destroy();
    }
  }
}
