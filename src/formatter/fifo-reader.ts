// Reads one FIFO, as fast as what is read is taken.
import { constants, openSync, readSync } from 'node:fs';
import { Socket } from 'node:net';
import { errnoOf } from '../shared/errno.ts';

/** As much as a pipe of Linux holds. What is read is taken before the next read, so one buffer does for all. */
const buffer = Buffer.allocUnsafeSlow(64 * 1024);

/** Reads of `takeRest` at most: a pipe may have been made larger, and somebody may write on and on. */
const mostReads = 64;

export class FifoReader {
  readonly #fd: number;
  readonly #socket: Socket;
  readonly #take: (chunk: Buffer) => void;

  /**
   * The chunk is valid until `take` returns. `ended`: nobody holds the FIFO for writing any more, and all was read. Throws
   * what the system says of a file that cannot be opened.
   */
  constructor(file: string, take: (chunk: Buffer) => void, ended: () => void) {
    this.#take = take;
    this.#fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const callback = (length: number) => {
      take(buffer.subarray(0, length));
      return true;
    };
    // The types know `onread` of connections only.
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

  /** Takes at once what was written by now. */
  takeRest(): void {
    if (this.#socket.destroyed) return;
    for (let reads = 0; reads < mostReads; reads += 1) {
      const length = this.#readSome();
      if (length === 0) return;
      this.#take(buffer.subarray(0, length));
    }
  }

  /** 0 when there is nothing, or nobody who could write. */
  #readSome(): number {
    try {
      return readSync(this.#fd, buffer);
    } catch (error) {
      if (errnoOf(error) === 'EAGAIN') return 0;
      throw error;
    }
  }
}
