// Clients that keep their connections and think between two requests, as real ones do.
import { randomInt } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { text } from 'node:stream/consumers';

export interface Visit {
  port: number;
  secure?: boolean;
  path?: string;
  /** Sent as POST. */
  body?: string;
  /** The longest time between an answer and the next request, in milliseconds. */
  think?: number;
}

export class Visitors {
  /** The bodies of all answers, in order. */
  readonly answers: string[] = [];
  readonly failures: string[] = [];
  readonly #running: Promise<void>[];
  #isOver = false;

  constructor(count: number, visit: Visit) {
    this.#running = Array.from({ length: count }, () => this.#visit(visit));
  }

  /** Resolves with what has failed. */
  async leave(): Promise<string[]> {
    this.#isOver = true;
    await Promise.all(this.#running);
    return this.failures;
  }

  async #visit({ secure = false, think = 20, ...rest }: Visit): Promise<void> {
    const agent = new (secure ? https : http).Agent({ keepAlive: true, maxSockets: 1 });
    while (!this.#isOver) {
      try {
        this.answers.push(await request({ ...rest, secure, agent }));
      } catch (error) {
        this.failures.push(String(error));
      }
      await new Promise((resolve) => setTimeout(resolve, randomInt(think + 1)));
    }
    agent.destroy();
  }
}

/** The body of the answer. */
export function request({ port, secure, path = '/', body, agent }: Visit & { agent?: http.Agent }): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { port, path, agent, timeout: 120_000, method: body ? 'POST' : 'GET', rejectUnauthorized: false };
    const sent = (secure ? https : http).request(options, (response) => text(response).then(resolve, reject));
    sent.on('error', reject).on('timeout', () => sent.destroy(new Error('hung')));
    sent.end(body);
  });
}
