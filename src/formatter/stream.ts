// One output stream of a process, from its FIFO to its log.
import { constants, openSync, readSync } from 'node:fs';
import { Socket } from 'node:net';
import type { LineRenderer } from '../logs/line-renderer.ts';
import { FormatterLines, longestFormattedLine } from '../logs/line-splitter.ts';
import type { Target } from '../logs/log-target.ts';
import type { Clock } from '../shared/clock.ts';
import { errnoOf } from '../shared/errno.ts';
import { throwUncaught } from '../shared/throw-uncaught.ts';
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

/** The capacity of a pipe on Linux. Each chunk is consumed before the next read, so all readers share one buffer. */
const buffer = Buffer.allocUnsafeSlow(64 * 1024);

/** The limit of reads in `takeRest`: the pipe may have been enlarged, and a program may keep writing. */
const mostReads = 64;

/** Reads one FIFO at the speed at which its data is consumed. */
class FifoReader {
  readonly #fd: number;
  readonly #socket: Socket;
  readonly #take: (chunk: Buffer) => void;

  /**
   * A chunk is valid until `take` returns. `ended` is called when no process has the FIFO open for writing and all data
   * was read. Throws the system's error if the file cannot be opened.
   */
  constructor(file: string, take: (chunk: Buffer) => void, ended: () => void) {
    this.#take = take;
    this.#fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const callback = (length: number) => {
      take(buffer.subarray(0, length));
      return true;
    };
    // The type definitions allow `onread` only for connections.
    const options = { fd: this.#fd, readable: true, writable: false, onread: { buffer, callback } };
    this.#socket = new Socket(options);
    this.#socket.on('error', () => {});
    this.#socket.on('close', ended);
    this.#socket.resume();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Reads at once all data written so far. */
  takeRest(): void {
    if (this.#socket.destroyed) return;
    for (let reads = 0; reads < mostReads; reads += 1) {
      const length = this.#readSome();
      if (length === 0) return;
      this.#take(buffer.subarray(0, length));
    }
  }

  /** Returns 0 if there is no data, or no writer. */
  #readSome(): number {
    try {
      return readSync(this.#fd, buffer);
    } catch (error) {
      if (errnoOf(error) === 'EAGAIN') return 0;
      throw error;
    }
  }
}
