// The file that an app currently writes to, read forwards by position; detects if it was truncated in between.
import { closeSync, fstatSync } from 'node:fs';
import { basename } from 'node:path';
import { allRotations } from '../../shared/rotations.ts';
import { lookInto, openForReading, readAt } from './blocks.ts';

/** Bytes before the position that are read again, to check that they have not changed. */
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

  /** Undefined if the file does not exist or may not be read. */
  static open(file: string): LiveFile | undefined {
    const fd = openForReading(file);
    return fd === undefined ? undefined : new LiveFile(fd);
  }

  get position(): number {
    return this.#position;
  }

  /** The last bytes read before the position. */
  get before(): Buffer {
    return this.#before;
  }

  get size(): number {
    return fstatSync(this.fd).size;
  }

  /** Milliseconds since 1970. */
  get bornAt(): number {
    return fstatSync(this.fd).birthtimeMs;
  }

  /** Milliseconds since 1970. */
  get changedAt(): number {
    return fstatSync(this.fd).mtimeMs;
  }

  isLineStart(offset: number): boolean {
    return offset === 0 || readAt(this.fd, offset - 1, 1).toString() === '\n';
  }

  moveTo(position: number): void {
    this.#position = position;
    const length = Math.min(position, overlap);
    this.#before = Buffer.from(readAt(this.fd, position - length, length));
  }

  /** Reads at most `most` bytes and advances. Undefined if the file was truncated, even if it has grown again since. */
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

/** Bytes compared at the beginning and at the end. */
const sampleLength = 4096;

/**
 * Milliseconds within which the kernel may report the same time for two changes. nsv names a copy while no process
 * writes, and truncates the log at once: any later write goes to the truncated file.
 */
const coarse = 100;

/**
 * Whether the live file still has all the content of the copy, so that it will be truncated when the copy is complete.
 * Logs of programs that repeat themselves look alike, so for copies made by nsv the times are checked too.
 */
export function isCopyInProgress(copy: string, live: LiveFile): boolean {
  if (copy.endsWith('.gz')) return false;
  const holdsAll = lookInto(copy, (fd, stats) => {
    if (isOurs(copy) && live.changedAt > stats.ctimeMs + coarse) return false;
    const length = Math.min(stats.size, sampleLength);
    const isAlike = (at: number) => readAt(fd, at, length).equals(readAt(live.fd, at, length));
    return stats.size <= live.size && isAlike(0) && isAlike(stats.size - length);
  });
  return holdsAll ?? false;
}

function isOurs(copy: string): boolean {
  return allRotations([basename(copy)]).length > 0;
}

/**
 * Whether the file has the last bytes read from the live one at the same place. True if there are none or if
 * compressed.
 */
export function holdsBefore(copy: string, { before, position }: LiveFile): boolean {
  if (before.length === 0 || copy.endsWith('.gz')) return true;
  const holds = lookInto(copy, (fd) => readAt(fd, position - before.length, before.length).equals(before));
  // A file that is gone has been compressed.
  return holds ?? true;
}
