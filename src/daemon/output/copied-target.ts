// Two log files that get the same lines: that of an output, and the common one of an app.
import type { Target } from './log-target.ts';

export class CopiedTarget implements Target {
  readonly #both: readonly [Target, Target];

  constructor(own: Target, common: Target) {
    this.#both = [own, common];
  }

  get isFull(): boolean {
    return this.#both.some(({ isFull }) => isFull);
  }

  async drained(): Promise<void> {
    await Promise.all(this.#both.map((target) => target.drained()));
  }

  async written(): Promise<void> {
    await Promise.all(this.#both.map((target) => target.written()));
  }

  hurry(): void {
    for (const target of this.#both) target.hurry?.();
  }

  write(text: string, encoding: BufferEncoding): void {
    for (const target of this.#both) target.write(text, encoding);
  }
}
