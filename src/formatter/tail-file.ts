// The beginning of a line whose end has not come yet, in a file beside its FIFO: what was read from the FIFO is nowhere
// else, so the next formatter would not know it if this one is killed.
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  rmSync,
  type Stats,
  writeSync,
} from 'node:fs';
import type { Clock } from '../shared/clock.ts';

const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * Milliseconds until an empty file is removed: some programs write the end of each line by itself, and would have it created
 * and removed for each.
 */
const removeAfter = 1_000;

const newline = 0x0a;
const nothing = Buffer.alloc(0);

export class TailFile {
  readonly #file: string;
  /** More than this is no unfinished line of a formatter. */
  readonly #limit: number;
  readonly #clock: Clock;
  #fd: number | undefined;
  #saved = 0;
  /** The disk is full: the line is kept in memory alone. */
  #isBroken = false;
  #isToBeRemoved = false;

  constructor(file: string, limit: number, clock: Clock) {
    this.#file = file;
    this.#limit = limit;
    this.#clock = clock;
  }

  /** What a previous formatter has left; empty if there is nothing, or nothing that it can have written. */
  restore(): Buffer {
    const bytes = this.#read();
    this.#saved = bytes.length;
    if (bytes.length === 0) this.remove();
    return bytes;
  }

  /** Makes the file hold `line`, which is longer than at the last call, or the first one after `forget`. */
  save(line: Buffer): void {
    if (this.#isBroken || line.length === this.#saved) return;
    try {
      this.#fd ??= this.#create();
      while (this.#saved < line.length) {
        this.#saved += writeSync(this.#fd, line, this.#saved, line.length - this.#saved, this.#saved);
      }
    } catch {
      this.remove();
      this.#isBroken = true;
    }
  }

  /** To be called right before the line is written to its log: whenever this process is killed, no byte is in both. */
  forget(): void {
    this.#isBroken = false;
    if (this.#saved === 0) return;
    ftruncateSync(this.#fd!);
    this.#saved = 0;
    if (this.#isToBeRemoved) return;
    this.#isToBeRemoved = true;
    this.#clock.after(removeAfter, () => {
      this.#isToBeRemoved = false;
      if (this.#saved === 0) this.remove();
    });
  }

  remove(): void {
    this.#isBroken = false;
    this.#saved = 0;
    if (this.#fd === undefined) return;
    closeSync(this.#fd);
    this.#fd = undefined;
    rmSync(this.#file, { force: true });
  }

  #create(): number {
    // What is there under this name is none of ours: `restore` has seen it.
    rmSync(this.#file, { force: true });
    return openSync(this.#file, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  }

  #read(): Buffer {
    this.#fd = openIfThere(this.#file);
    if (this.#fd === undefined) return nothing;
    const stats = fstatSync(this.#fd);
    if (!isOurs(stats) || stats.size > this.#limit) return nothing;
    const bytes = Buffer.alloc(stats.size);
    const length = readSync(this.#fd, bytes, 0, bytes.length, 0);
    return length === bytes.length && !bytes.includes(newline) ? bytes : nothing;
  }
}

/** Undefined if there is no file, or a link or something else that this process cannot open. */
function openIfThere(file: string): number | undefined {
  try {
    // Without O_NONBLOCK, a FIFO of this name would block.
    return openSync(file, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
  } catch {
    return undefined;
  }
}

/** Whether nobody else can have written it, nor have it elsewhere. */
function isOurs(stats: Stats): boolean {
  return stats.isFile() && stats.uid === process.geteuid?.() && (stats.mode & 0o077) === 0 && stats.nlink === 1;
}
