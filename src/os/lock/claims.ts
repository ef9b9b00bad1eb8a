// Numbered claims: exactly one of several processes gets what they all want, whatever dead ones have left behind.
import { readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../shared/errno.ts';
import { detailOf, failure } from '../../shared/errors.ts';
import { makeDirectory } from '../trust/home.ts';

export interface ClaimFile {
  number: number;
  text: string;
}

/**
 * The claims of one name in a directory that only its user can write. A claim is a symbolic link `<name>.<number>` whose
 * target is its text: symlink(2) creates it whole or not at all, replaces nothing, and takes no block of a full disk if
 * the text has fewer than 60 bytes.
 *
 * The highest number counts, and it is never removed before a higher one exists. So a process that was asleep between
 * "6 is the last" and "7 is mine" either fails to create 7, or finds a higher one afterwards.
 */
export class Claims {
  readonly #directory: string;
  readonly #name: string;

  constructor(directory: string, name: string) {
    this.#directory = directory;
    this.#name = name;
  }

  /** Creates the directory. Throws CANNOT_WRITE, as `follow` does. */
  prepare(): void {
    try {
      makeDirectory(this.#directory);
    } catch (cause) {
      throw failure('CANNOT_WRITE', { file: this.#directory, detail: detailOf(cause) }, { cause });
    }
  }

  /** The claim that counts; undefined if there has never been one. */
  last(): ClaimFile | undefined {
    for (;;) {
      const number = Math.max(0, ...this.#numbers());
      if (number === 0) return undefined;
      const text = this.#textOf(number);
      // A claim that is gone has been followed by another.
      if (text !== undefined) return { number, text };
    }
  }

  /** Creates the claim after `last`, and removes those before it. False if another process was faster. */
  follow(last: ClaimFile | undefined, text: string): boolean {
    const number = (last?.number ?? 0) + 1;
    if (!this.#create(number, text)) return false;
    if (this.last()?.number !== number) {
      this.#remove(number);
      return false;
    }
    for (const older of this.#numbers()) if (older < number) this.#remove(older);
    return true;
  }

  fileOf({ number }: Pick<ClaimFile, 'number'>): string {
    return join(this.#directory, `${this.#name}.${number}`);
  }

  #create(number: number, text: string): boolean {
    const file = this.fileOf({ number });
    try {
      symlinkSync(text, file);
      return true;
    } catch (cause) {
      if (errnoOf(cause) === 'EEXIST') return false;
      throw failure('CANNOT_WRITE', { file, detail: detailOf(cause) }, { cause });
    }
  }

  #remove(number: number): void {
    rmSync(this.fileOf({ number }), { force: true });
  }

  #textOf(number: number): string | undefined {
    try {
      return readlinkSync(this.fileOf({ number }));
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return undefined;
      // Not a link: not made by nsv. It still counts, so that the numbers go on from it.
      if (errnoOf(error) === 'EINVAL') return '';
      throw error;
    }
  }

  /** The kernel lists a directory this small in one step, so no claim that exists the whole time is missed. */
  #numbers(): number[] {
    const prefix = `${this.#name}.`;
    return namesIn(this.#directory)
      .filter((name) => name.startsWith(prefix) && /^[1-9]\d{0,14}$/.test(name.slice(prefix.length)))
      .map((name) => Number(name.slice(prefix.length)));
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}
