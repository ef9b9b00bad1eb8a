// A log file that one or more streams are written to. Writes are synchronous, in the process that reads the output of the apps:
// while the disk is slow, nothing is read, the pipes fill up, and the apps wait.
import { closeSync, fstatSync, type Stats, statSync, writeSync } from 'node:fs';
import type { Clock } from '../shared/clock.ts';
import { errnoOf } from '../shared/errno.ts';
import { detailOf } from '../shared/errors.ts';
import { isGone, openLog } from '../shared/log-file.ts';

/** Where formatted lines go. */
export interface Target {
  /** Whether reading should pause. */
  readonly isFull: boolean;
  /** Resolves when reading may continue. */
  drained(): Promise<void>;
  /** Resolves when all lines so far are in the file. */
  written(): Promise<void>;
  /** A process that wrote to it has ended. The file may be a FIFO that nobody reads: it is not waited for without end. */
  hurry?(): void;
  /** `text` consists of whole lines. */
  write(text: string, encoding: BufferEncoding): void;
}

export interface LogPlace {
  file: string;
  /** The working directory of the app. */
  cwd: string;
}

/** Called once when a file cannot be written, and once when it can: at first, or again after so many bytes were lost. */
export interface TargetNews {
  failed(file: string, detail: string): void;
  written(file: string, lost: number): void;
}

/** Milliseconds between checks that the path still leads to the same file, which may be deleted or moved. */
const lookAfter = 1_000;
/** Milliseconds before retrying, when the log is a FIFO or a terminal with a slow reader. */
const retryAfter = 10;

const newline = 0x0a;
/** A buffer for encoding text, so that nothing is allocated per line. */
const scratch = Buffer.allocUnsafeSlow(512 * 1024);

export class LogTarget implements Target {
  readonly #log: LogPlace;
  readonly #clock: Clock;
  readonly #news: TargetNews;
  readonly #watchers: (() => void)[] = [];
  #fd: number | undefined;
  #lookedAt: number;
  /** Data that a slow reader has not taken yet. */
  #waiting: Buffer[] = [];
  /** Bytes lost since the last successful write. */
  #lost = 0;
  /** Undefined until the first write. */
  #isFailing: boolean | undefined;
  #isTorn = false;

  constructor(log: LogPlace, clock: Clock, news: TargetNews) {
    this.#log = log;
    this.#clock = clock;
    this.#news = news;
    this.#lookedAt = clock.now();
    this.#fd = this.#open();
  }

  get isFull(): boolean {
    return this.#waiting.length > 0;
  }

  drained(): Promise<void> {
    return new Promise((resolve) => (this.isFull ? this.#watchers.push(resolve) : resolve()));
  }

  written(): Promise<void> {
    return this.drained();
  }

  write(text: string, encoding: BufferEncoding): void {
    this.#look();
    const fits = text.length * 3 <= scratch.length;
    const bytes = fits ? scratch.subarray(0, scratch.write(text, encoding)) : Buffer.from(text, encoding);
    if (this.isFull) this.#waiting.push(Buffer.from(bytes));
    else this.#put(bytes);
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #put(bytes: Buffer): void {
    let rest = bytes;
    try {
      while (rest.length > 0) rest = rest.subarray(this.#writeSome(rest));
    } catch (error) {
      if (errnoOf(error) === 'EAGAIN') this.#wait(rest);
      else this.#lose(bytes, rest, error);
    }
  }

  #writeSome(bytes: Buffer): number {
    if (this.#fd === undefined) throw new Error('the file could not be opened');
    if (this.#isTorn) writeSync(this.#fd, '\n');
    this.#isTorn = false;
    const written = writeSync(this.#fd, bytes);
    if (this.#isFailing !== false) this.#news.written(this.#log.file, this.#lost);
    this.#isFailing = false;
    this.#lost = 0;
    return written;
  }

  #wait(rest: Buffer): void {
    this.#waiting.unshift(Buffer.from(rest));
    this.#clock.after(retryAfter, () => {
      const waiting = Buffer.concat(this.#waiting.splice(0));
      this.#put(waiting);
      if (!this.isFull) for (const drained of this.#watchers.splice(0)) drained();
    });
  }

  /** Drops the data, so that the app can go on: on a full disk, a log written by the app itself would lose it too. */
  #lose(bytes: Buffer, rest: Buffer, error: unknown): void {
    const written = bytes.length - rest.length;
    if (written > 0) this.#isTorn = bytes[written - 1] !== newline;
    if (!this.#isFailing) this.#news.failed(this.#log.file, detailOf(error));
    this.#isFailing = true;
    this.#lost += rest.length;
  }

  /** If the file was moved or deleted, lets go of it and creates a new one of the same name. */
  #look(): void {
    const now = this.#clock.now();
    if (now - this.#lookedAt < lookAfter) return;
    this.#lookedAt = now;
    const fd = this.#fd;
    if (fd !== undefined && isStill(this.#log, () => fstatSync(fd))) return;
    this.close();
    this.#fd = this.#open();
  }

  /** Undefined if it cannot be opened, which is reported when data is lost. */
  #open(): number | undefined {
    try {
      return openLog(this.#log.file, this.#log.cwd);
    } catch {
      return undefined;
    }
  }
}

/**
 * Whether the path still leads to the file that is open, or will again: the file was moved together with the working directory of
 * the app. False if that cannot be told.
 */
export function isStill({ file, cwd }: Pick<LogPlace, 'file' | 'cwd'>, statOpen: () => Stats): boolean {
  try {
    const ours = statOpen();
    if (ours.nlink > 0 && isGone(cwd)) return true;
    const theirs = statSync(file, { throwIfNoEntry: false });
    return ours.ino === theirs?.ino && ours.dev === theirs.dev;
  } catch {
    return false;
  }
}
