// The file that an app writes to now, read forwards by position, in the certainty that what is read comes after what was.
import { closeSync, fstatSync } from 'node:fs';
import { openForReading, readAt } from './blocks.ts';

/** Bytes before the position that are read again, to see that they are still the same. */
const overlap = 64;

export class LiveFile {
  readonly fd: number;
  readonly identity: string;
  #position = 0;
  #before: Buffer = Buffer.alloc(0);

  private constructor(fd: number) {
    this.fd = fd;
    this.identity = identityOfInode(fstatSync(fd));
  }

  /** Undefined when there is no such file, or not for us. */
  static open(file: string): LiveFile | undefined {
    const fd = openForReading(file);
    return fd === undefined ? undefined : new LiveFile(fd);
  }

  get position(): number {
    return this.#position;
  }

  /** What stands before the position, so far as it is remembered. */
  get before(): Buffer {
    return this.#before;
  }

  get size(): number {
    return fstatSync(this.fd).size;
  }

  moveTo(position: number): void {
    this.#position = position;
    const length = Math.min(position, overlap);
    this.#before = Buffer.from(readAt(this.fd, position - length, length));
  }

  /**
   * At most `most` bytes from the position on, which moves on. Undefined when the file is not the one any more that was read:
   * it was emptied, even if it has grown beyond the position since.
   */
  read(most: number): Buffer | undefined {
    if (this.size < this.#position) return undefined;
    const known = this.#before.length;
    const bytes = readAt(this.fd, this.#position - known, known + most);
    if (!bytes.subarray(0, known).equals(this.#before)) return undefined;
    const read = bytes.subarray(known);
    this.#position += read.length;
    this.#before = Buffer.from(bytes.subarray(-overlap));
    return read;
  }

  close(): void {
    closeSync(this.fd);
  }
}

export function identityOfInode({ dev, ino }: { dev: number; ino: number }): string {
  return `${dev}:${ino}`;
}
