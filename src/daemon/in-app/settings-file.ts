// The file with the runtime settings of an app (`nsv config --file`): read whenever it changes. While it cannot be used, because it is
// broken or a process rejects it, the app keeps the settings that it has.
import { closeSync, fstatSync, readFile, statSync } from 'node:fs';
import { promisify } from 'node:util';
import { readDocument } from '../../config/file/document.ts';
import { Unreadable } from '../../config/file/mistakes.ts';
import { parseRuntimeValues, runtimeLimits } from '../../ipc/app/runtime-settings.ts';
import type { RuntimeValues } from '../../ipc/app/views.ts';
import { openToRead } from '../../os/trust/open-to-read.ts';
import { type Clock, nextSecond } from '../../shared/clock.ts';
import { detailOf } from '../../shared/errors.ts';
import { throwUncaught } from '../../shared/throw-uncaught.ts';

/** Milliseconds from a change until the file is read: a change is seldom a single write. */
const settleTime = 100;
/** Bytes; a file may have comments. */
const longestFile = 4 * runtimeLimits.bytes;

export interface SettingsFileOptions {
  clock: Clock;
  /** Whether the user of the app, who is another one than the daemon's, could have the path lead to a secret file. */
  isUserFile(file: string): boolean;
  /** Rejects with the reason if the values cannot be used. */
  apply(values: RuntimeValues, file: string): Promise<void>;
  /** Called with the reason why the content of the file is not in force, and with null when it is. */
  report(problem: string | null, file: string): void;
}

export class SettingsFile {
  readonly #options: SettingsFileOptions;
  #file: string | undefined;
  /** Tells its content from an earlier one, as far as that was read. */
  #stamp = '';
  #cancel = () => {};

  constructor(options: SettingsFileOptions) {
    this.#options = options;
  }

  /** Throws an Error that says what is wrong with the file. */
  async read(file: string): Promise<RuntimeValues> {
    // Its content would reach that user's processes.
    if (this.#options.isUserFile(file))
      throw new Error(
        'the app runs as another user, who could replace the file by a link: use a directory that only root can write',
      );
    return parseRuntimeValues(await valueIn(file));
  }

  /** Watches the file from now on, and no other; undefined for none. */
  follow(file: string | undefined): void {
    this.close();
    this.#file = file;
    if (file === undefined) return;
    this.#stamp = stampOf(file);
    this.#wait(file);
  }

  /** Follows the file, and reads it at once: it may have changed while no daemon was there. */
  resume(file: string | undefined): void {
    this.follow(file);
    if (file !== undefined) this.#look(file).catch(throwUncaught);
  }

  close(): void {
    this.#cancel();
    if (this.#file !== undefined) this.#options.report(null, this.#file);
    this.#file = undefined;
  }

  /** Looks every second: the file may be replaced, or any directory or link on the way. */
  #wait(file: string): void {
    const { clock } = this.#options;
    this.#cancel = nextSecond(clock, () => {
      if (stampOf(file) === this.#stamp) this.#wait(file);
      else
        this.#cancel = clock.after(settleTime, () => {
          // First, so that no change falls in between.
          this.#stamp = stampOf(file);
          this.#look(file).catch(throwUncaught);
          this.#wait(file);
        });
    });
  }

  async #look(file: string): Promise<void> {
    try {
      const values = await this.read(file);
      if (file !== this.#file) return;
      await this.#options.apply(values, file);
      this.#options.report(null, file);
    } catch (error) {
      if (file === this.#file) this.#options.report(detailOf(error), file);
    }
  }
}

/** Empty if nothing is there. */
function stampOf(file: string): string {
  try {
    const { dev, ino, size, ctimeMs } = statSync(file);
    return `${dev}:${ino}:${size}:${ctimeMs}`;
  } catch {
    return '';
  }
}

async function valueIn(file: string): Promise<unknown> {
  const fd = openToRead(file);
  try {
    const { size } = fstatSync(fd);
    if (size > longestFile) throw new Error(`it has ${size} bytes, and ${longestFile} are allowed`);
    const text = await promisify(readFile)(fd, 'utf8');
    return (await readDocument(text, { kind: file.endsWith('.json') ? 'json' : 'yaml', allowsTwins: false })).value;
  } catch (error) {
    if (error instanceof Unreadable && error.line !== undefined)
      throw new Error(`line ${error.line}: ${error.message}`, { cause: error });
    throw error;
  } finally {
    closeSync(fd);
  }
}
