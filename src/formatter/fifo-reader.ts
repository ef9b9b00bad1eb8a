// Reads one FIFO at the speed at which its data is consumed.
import { constants, openSync, readSync } from 'node:fs';
import { Socket } from 'node:net';
import { errnoOf } from '../shared/errno.ts';

/** The capacity of a pipe on Linux. Each chunk is consumed before the next read, so all readers share one buffer. */
const buffer = Buffer.allocUnsafeSlow(64 * 1024);

/** The limit of reads in `takeRest`: the pipe may have been enlarged, and a program may keep writing. */
const mostReads = 64;

export class FifoReader {
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
