// Records the sources of the formatter in files next to their FIFOs, so that another one can resume if it is killed.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fifoName, type Source } from '../ipc/formatter-messages.ts';

const ending = '.json';

export class Records {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  fifo(id: string, stream: 'out' | 'err'): string {
    return join(this.#folder, fifoName(id, stream));
  }

  /** Where an unfinished line is kept. */
  tail(id: string, stream: 'out' | 'err'): string {
    return `${this.fifo(id, stream)}.tail`;
  }

  /** Ignores a full disk: the daemon still knows the source. */
  write(source: Source): void {
    try {
      writeFileSync(this.#file(source.id), JSON.stringify(source), { mode: 0o600 });
    } catch {
      rmSync(this.#file(source.id), { force: true });
    }
  }

  /** Removes the record, its FIFOs, and a tail if there was no FIFO any more to read on. */
  remove(id: string): void {
    const files = (['out', 'err'] as const).flatMap((stream) => [this.fifo(id, stream), this.tail(id, stream)]);
    for (const file of [...files, this.#file(id)]) rmSync(file, { force: true });
  }

  /** Skips unreadable records, which were only partly written: the daemon sends those sources again. */
  read(): Source[] {
    return readdirSync(this.#folder)
      .filter((name) => name.endsWith(ending))
      .flatMap((name) => {
        try {
          return JSON.parse(readFileSync(join(this.#folder, name), 'utf8')) as Source;
        } catch {
          return [];
        }
      });
  }

  #file(id: string): string {
    return join(this.#folder, `${id}${ending}`);
  }
}
