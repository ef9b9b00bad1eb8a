// What a program has written to its error log since a given moment, to explain why it failed.
import { filesAmong, type Outlet } from './streams.ts';
import { endOf, linesSince } from './tail.ts';

const shownLines = 15;

export class ErrorOutput {
  readonly #ends: Map<string, number>;

  /** Starts at the current end of the files. Output that goes elsewhere is not seen. */
  constructor(outlets: readonly Outlet[]) {
    this.#ends = new Map(filesAmong(outlets).map((file) => [file, endOf(file)]));
  }

  /** At most the last 15 lines. */
  lines(): string[] {
    return [...this.#ends].flatMap(([file, end]) => linesSince(file, end, shownLines)).slice(-shownLines);
  }
}
