// Follows one log file by its position: it may grow, be emptied, be renamed away and made anew, or not be there yet.
import { closeSync, constants, fstatSync, openSync, statSync } from 'node:fs';
import { lastLines, readAt } from './last-lines.ts';

const block = 64 * 1024;

/** Bytes read in one look: an app that writes faster must not make us hold all of it. */
const mostAtOnce = 64 * block;

/** A line without an end is handed on in pieces of this size: it must not fill the memory. */
const longestLine = 1024 * 1024;

const newline = 0x0a;

export class Follower {
  readonly #file: string;
  #fd: number | undefined;
  #position = 0;
  /** The beginning of a line whose end has not been written yet. */
  #rest: Buffer = Buffer.alloc(0);

  constructor(file: string) {
    this.#file = file;
    this.#fd = open(file);
  }

  /** Milliseconds since 1970; 0 when there is no such file, or the file system does not tell. */
  get bornAt(): number {
    return this.#fd === undefined ? 0 : fstatSync(this.#fd).birthtimeMs;
  }

  /** The last `count` lines that are there, and goes on after them. */
  last(count: number): string[] {
    if (this.#fd === undefined) return [];
    this.#position = fstatSync(this.#fd).size;
    const { lines, rest } = lastLines(this.#fd, this.#position, count);
    this.#rest = rest;
    return lines;
  }

  /** The lines that have been completed since the last look. */
  more(): string[] {
    const lines = this.#grown(mostAtOnce);
    if (this.#isBehind() || !this.#isReplaced()) return lines;
    // The last writes to the old file may have come after the first read, and before the rename.
    return lines.concat(this.#grown(Number.POSITIVE_INFINITY), this.#reopened(), this.#grown(mostAtOnce));
  }

  /** The line that was begun, if nothing more is to come. */
  close(): string[] {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
    return this.#unfinished();
  }

  #grown(most: number): string[] {
    if (this.#fd === undefined) return [];
    const { size } = fstatSync(this.#fd);
    const lines = size < this.#position ? this.#rewound() : [];
    const end = Math.min(size, this.#position + most);
    while (this.#position < end) {
      const bytes = readAt(this.#fd, this.#position, Math.min(block, end - this.#position));
      if (bytes.length === 0) break;
      this.#position += bytes.length;
      lines.push(...this.#split(bytes));
    }
    return lines;
  }

  #split(bytes: Buffer): string[] {
    const lastBreak = bytes.lastIndexOf(newline);
    if (lastBreak < 0) {
      this.#rest = Buffer.concat([this.#rest, bytes]);
      return this.#rest.length < longestLine ? [] : this.#unfinished();
    }
    const whole = Buffer.concat([this.#rest, bytes.subarray(0, lastBreak)]);
    this.#rest = Buffer.from(bytes.subarray(lastBreak + 1));
    return whole.toString().split('\n');
  }

  #isBehind(): boolean {
    return this.#fd !== undefined && this.#position < fstatSync(this.#fd).size;
  }

  #isReplaced(): boolean {
    const now = statSync(this.#file, { throwIfNoEntry: false });
    if (!now) return false;
    if (this.#fd === undefined) return true;
    const followed = fstatSync(this.#fd);
    return now.ino !== followed.ino || now.dev !== followed.dev;
  }

  #reopened(): string[] {
    const lines = this.close();
    this.#fd = open(this.#file);
    this.#position = 0;
    return lines;
  }

  #rewound(): string[] {
    this.#position = 0;
    return this.#unfinished();
  }

  #unfinished(): string[] {
    const rest = this.#rest;
    this.#rest = Buffer.alloc(0);
    return rest.length > 0 ? [rest.toString()] : [];
  }
}

/** Undefined when there is no such file, or not for us: it may come. A FIFO must not make us wait for its writer. */
function open(file: string): number | undefined {
  try {
    return openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
}
