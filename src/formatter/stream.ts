// One output stream of a process, from its FIFO to its log.

import type { LineRenderer } from '../logs/line-renderer.ts';
import { FormatterLines, longestFormattedLine } from '../logs/line-splitter.ts';
import type { Target } from '../logs/log-target.ts';
import type { Clock } from '../shared/clock.ts';
import { throwUncaught } from '../shared/throw-uncaught.ts';
import { FifoReader } from './fifo-reader.ts';
import { TailFile } from './tail-file.ts';

export interface StreamDeps {
  fifo: string;
  /** Keeps an unfinished line. */
  tail: string;
  target: Target;
  renderer: LineRenderer;
  clock: Clock;
  /** No process has the FIFO open for writing, and all data is written. */
  ended(): void;
}

export class FormattedStream {
  readonly #target: Target;
  readonly #splitter: FormatterLines;
  readonly #tail: TailFile;
  readonly #reader: FifoReader;

  /** Throws if the FIFO cannot be opened. */
  constructor({ fifo, tail, target, renderer, clock, ended }: StreamDeps) {
    this.#target = target;
    this.#tail = new TailFile(tail, longestFormattedLine, clock);
    this.#splitter = new FormatterLines((lines, isPiece) => {
      const text = renderer.render(lines, clock.wall(), isPiece);
      this.#tail.forget();
      target.write(text, renderer.encoding);
    });
    this.#reader = new FifoReader(
      fifo,
      (chunk) => this.#take(chunk),
      () => {
        target.hurry?.();
        this.#finishLine();
        target.written().then(ended).catch(throwUncaught);
      },
    );
    this.#splitter.take(this.#tail.restore());
  }

  /** Resolves when all output so far is written, including a line without its newline. */
  async finish(): Promise<void> {
    this.#target.hurry?.();
    await this.#target.drained();
    this.#reader.takeRest();
    this.#finishLine();
    await this.#target.written();
  }

  #finishLine(): void {
    this.#splitter.finish();
    this.#tail.remove();
  }

  #take(chunk: Buffer): void {
    this.#splitter.take(chunk);
    this.#tail.save(this.#splitter.unfinished);
    if (!this.#target.isFull) return;
    this.#reader.pause();
    this.#target
      .drained()
      .then(() => this.#reader.resume())
      .catch(throwUncaught);
  }
}
