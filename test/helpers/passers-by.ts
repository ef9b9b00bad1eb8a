// Clients that come once, each on a connection of its own.
import { Agent, get } from 'node:http';

/** `count` of them at a time. */
export class PassersBy {
  answered = 0;
  readonly failed: string[] = [];
  #isOver = false;
  readonly #visits: Promise<void>[];

  constructor(where: { port: number; host?: string } | { socketPath: string }, count = 3) {
    this.#visits = Array.from({ length: count }, async () => {
      while (!this.#isOver) await this.#visit(where);
    });
  }

  /** Resolves with what has failed. */
  async leave(): Promise<string[]> {
    this.#isOver = true;
    await Promise.all(this.#visits);
    return this.failed;
  }

  #visit(where: object): Promise<void> {
    return new Promise((resolve) => {
      const failed = (error: Error) => {
        this.failed.push(error.message);
        resolve();
      };
      const asked = get({ host: '127.0.0.1', agent: new Agent({ keepAlive: false }), ...where }, (response) => {
        response.on('error', failed);
        response.resume().on('end', () => {
          this.answered += 1;
          // Not faster than the machine can bear it.
          setTimeout(resolve, 5);
        });
      });
      asked.on('error', failed);
    });
  }
}
