// One output stream of a process, from its FIFO to its log.

import type { LineRenderer } from '../daemon/output/line-renderer.ts';
import { FormatterLines } from '../daemon/output/line-splitter.ts';
import type { Clock } from '../shared/clock.ts';
import { throwUncaught } from '../shared/throw-uncaught.ts';
import { FifoReader } from './fifo-reader.ts';
import type { Target } from './log-target.ts';

export interface StreamDeps {
  fifo: string;
  target: Target;
  renderer: LineRenderer;
  clock: Clock;
  /** No process has the FIFO open for writing, and all data is written. */
  ended(): void;
}

export class FormattedStream {
  readonly #target: Target;
  readonly #splitter: FormatterLines;
  readonly #reader: FifoReader;

  /** Throws if the FIFO cannot be opened. */
  constructor({ fifo, target, renderer, clock, ended }: StreamDeps) {
    this.#target = target;
    this.#splitter = new FormatterLines((lines, isPiece) =>
      target.write(renderer.render(lines, clock.wall(), isPiece), renderer.encoding),
    );
    this.#reader = new FifoReader(
      fifo,
      (chunk) => this.#take(chunk),
      () => {
        this.#splitter.finish();
        target.drained().then(ended).catch(throwUncaught);
      },
    );
  }

  /** Resolves when all output so far is written, including a line without its newline. */
  async finish(): Promise<void> {
    await this.#target.drained();
    this.#reader.takeRest();
    this.#splitter.finish();
    await this.#target.written();
  }

  #take(chunk: Buffer): void {
    this.#splitter.take(chunk);
    if (!this.#target.isFull) return;
    this.#reader.pause();
    this.#target
      .drained()
      .then(() => this.#reader.resume())
      .catch(throwUncaught);
  }
}
