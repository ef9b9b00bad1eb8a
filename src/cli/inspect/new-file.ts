// Files with what a process knows: only their user can read them, and they replace nothing.
import { closeSync, fchmodSync, openSync, rmSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { inFileName } from '../../config/app-name.ts';
import type { ProcessView } from '../../ipc/views.ts';
import { realClock } from '../../shared/clock.ts';
import { detailOf, failure } from '../../shared/errors.ts';

export class NewFile {
  readonly path: string;
  readonly #fd: number;
  readonly #removeAtExit = () => rmSync(this.path, { force: true });
  #size = 0;

  /** Throws CANNOT_WRITE, also if something of this name exists, be it a link. */
  constructor(path: string) {
    this.path = path;
    try {
      // Exclusive: it follows no link, open(2).
      this.#fd = openSync(path, 'wx', 0o600);
    } catch (cause) {
      throw this.#failed(cause);
    }
    // For example by Ctrl-C, before it is complete.
    process.once('exit', this.#removeAtExit);
    fchmodSync(this.#fd, 0o600);
  }

  /** In bytes. */
  get size(): number {
    return this.#size;
  }

  /** Throws CANNOT_WRITE. */
  write(text: string): void {
    const bytes = Buffer.from(text);
    try {
      for (let from = 0; from < bytes.length; ) from += writeSync(this.#fd, bytes, from);
    } catch (cause) {
      throw this.#failed(cause);
    }
    this.#size += bytes.length;
  }

  complete(): void {
    process.off('exit', this.#removeAtExit);
    closeSync(this.#fd);
  }

  discard(): void {
    this.complete();
    this.#removeAtExit();
  }

  #failed(cause: unknown): Error {
    return failure('CANNOT_WRITE', { file: this.path, detail: detailOf(cause) }, { cause });
  }
}

/** Throws CANNOT_WRITE. */
export function writeNewFile(path: string, text: string): void {
  const file = new NewFile(path);
  try {
    file.write(text);
  } catch (error) {
    file.discard();
    throw error;
  }
  file.complete();
}

/** `web-0-20261124T023100.cpuprofile` in the user's directory, or the one of `--output`. */
export function pathFor({ name, slot }: ProcessView, ending: string, cwd: string, output: unknown): string {
  if (typeof output === 'string') return resolve(cwd, output);
  const time = new Date(realClock.wall()).toISOString().replaceAll(/[-:]|\..*/g, '');
  return resolve(cwd, `${inFileName(name)}-${slot}-${time}.${ending}`);
}
