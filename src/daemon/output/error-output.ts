// What a program has printed to its error log from some moment on, to say why it failed.
import { filesAmong, type Outlet } from './streams.ts';
import { endOf, linesSince } from './tail.ts';

const shownLines = 15;

export class ErrorOutput {
  readonly #ends: Map<string, number>;

  /** From now on. What goes elsewhere than to a file is not seen. */
  constructor(outlets: readonly Outlet[]) {
    this.#ends = new Map(filesAmong(outlets).map((file) => [file, endOf(file)]));
  }

  /** The last 15 lines at most. */
  lines(): string[] {
    return [...this.#ends].flatMap(([file, end]) => linesSince(file, end, shownLines)).slice(-shownLines);
  }
}
