// A pool of FIFOs. Node has no mkfifo(3), and running mkfifo(1) for each process would double the cost of a restart.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../../shared/errno.ts';
import { failure } from '../../../shared/errors.ts';

/** Number of FIFOs to create at a time. */
const batch = 64;
const spare = 'spare-';

export class FifoStock {
  readonly #folder: string;
  #spares: string[] = [];
  #isReady = false;

  /** `folder` is created with the first FIFO. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns a new FIFO of that name, which no process has open. Throws CANNOT_OPEN_LOG if it cannot be created. */
  take(name: string): string {
    const file = join(this.#folder, name);
    if (this.#spares.length === 0) this.#refill();
    try {
      renameSync(this.#spares.pop()!, file);
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
      // Somebody has removed the folder, or what was in it.
      this.#isReady = false;
      this.#refill();
      renameSync(this.#spares.pop()!, file);
    }
    return file;
  }

  /** Removes unused FIFOs. */
  clear(): void {
    for (const file of this.#spares.splice(0)) rmSync(file, { force: true });
  }

  #refill(): void {
    if (!this.#isReady) this.#prepare();
    const files = Array.from({ length: batch }, (_, index) => join(this.#folder, `${spare}${index}`));
    const { status, stderr, error } = spawnSync('mkfifo', ['-m', '600', '--', ...files], { encoding: 'utf8' });
    if (status === 0) this.#spares = files;
    else throw failure('CANNOT_OPEN_LOG', { file: files[0]!, detail: error?.message ?? stderr.trim() });
  }

  /** Removes unused FIFOs of a daemon that was killed. */
  #prepare(): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(this.#folder)) if (name.startsWith(spare)) rmSync(join(this.#folder, name));
    this.#isReady = true;
  }
}
