// What a program has printed to its error log from some moment on, to say why it failed.
import { endOf, linesSince } from './tail.ts';

const shownLines = 15;

export class ErrorOutput {
  readonly #ends: Map<string, number>;

  /** From now on. */
  constructor(files: readonly string[]) {
    this.#ends = new Map(files.map((file) => [file, endOf(file)]));
  }

  /** The last 15 lines at most. */
  lines(): string[] {
    return [...this.#ends].flatMap(([file, end]) => linesSince(file, end, shownLines)).slice(-shownLines);
  }
}
