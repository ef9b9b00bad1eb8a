// What a store does with its file, which others write, too. It is opened with the first use, which may create the tables.
import { resolve } from 'node:path';
import { now, wait } from '../../../app/clock.ts';
import { queueError } from '../../errors.ts';
import { type Constructor, codes, resultCodeOf, type SqlValue, type Statement } from './driver.ts';
import { type FileHandle, openFile } from './open-file.ts';

/** Milliseconds for which a call tries to get the lock, if others have it. */
const timeout = 15_000;
/** Milliseconds between two attempts: from, and up to. A transaction of ours takes a tenth of the first. */
const waits = [1, 100] as const;

interface Write {
  job(): unknown;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

export class SqliteConnection {
  readonly #file: string;
  readonly #synchronous: 'normal' | 'full';
  readonly #given: Constructor | undefined;
  readonly #statements = new Map<string, Statement>();
  readonly #listeners = new Set<() => void>();
  #opened: FileHandle | undefined;
  #writes: Write[] = [];

  constructor(file: string, synchronous: 'normal' | 'full', given?: Constructor) {
    this.#file = file;
    this.#synchronous = synchronous;
    this.#given = given;
  }

  /** Runs `job`, which must not throw errors of its own, in a transaction with all others of this turn. Rejects with NSV_STORE. */
  write<T>(job: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#writes.push({ job, resolve: resolve as Write['resolve'], reject });
      // It settles the promises of all, and does not reject.
      if (this.#writes.length === 1) setImmediate(() => void this.#flush());
    });
  }

  /** Reads do not wait for anybody, except for the one who makes the file. */
  read<T>(job: () => T): Promise<T> {
    return this.#whenFree(job);
  }

  /** Calls `wrote` after each transaction of this connection. Returns how to end that. */
  listen(wrote: () => void): () => void {
    this.#listeners.add(wrote);
    return () => this.#listeners.delete(wrote);
  }

  run(sql: string, ...values: SqlValue[]): number {
    return Number(this.#prepared(sql).run(...values).changes);
  }

  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined {
    return (this.#prepared(sql).get(...values) ?? undefined) as Row | undefined;
  }

  all<Row>(sql: string, ...values: SqlValue[]): Row[] {
    return this.#prepared(sql).all(...values) as Row[];
  }

  close(): void {
    this.#statements.clear();
    this.#opened?.close();
    this.#opened = undefined;
  }

  #prepared(sql: string): Statement {
    const known = this.#statements.get(sql) ?? this.#opened!.database.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  }

  async #flush(): Promise<void> {
    const writes = this.#writes;
    this.#writes = [];
    try {
      const results = await this.#whenFree(() => this.#transaction(writes));
      for (const [at, { resolve }] of writes.entries()) resolve(results[at]);
      for (const wrote of this.#listeners) wrote();
    } catch (error) {
      for (const { reject } of writes) reject(error);
    }
  }

  #transaction(writes: Write[]): unknown[] {
    this.run('BEGIN IMMEDIATE');
    try {
      const results = writes.map(({ job }) => job());
      this.run('COMMIT');
      return results;
    } catch (error) {
      try {
        this.run('ROLLBACK');
      } catch {
        // SQLite has done so itself, as it does when the disk is full.
      }
      throw error;
    }
  }

  /** The log may be larger than the file, and what is in it can be written to the file. So the next call may succeed. */
  #makeRoom(): void {
    try {
      this.#opened?.database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // Others use the log at the moment, or there is no room for that either.
    }
  }

  /** What is written to a file that has no name any more is lost. The next call opens, or creates, the one that has it now. */
  #leave(): never {
    this.close();
    const what = 'was deleted or replaced while it was open: what was in it cannot be reached any more';
    throw queueError('NSV_STORE', `the store ${resolve(this.#file)} ${what}; the next call opens the file anew`);
  }

  async #whenFree<T>(job: () => T): Promise<T> {
    const begun = now();
    for (let ms: number = waits[0]; ; ms = Math.min(ms * 2, waits[1])) {
      try {
        this.#opened ??= openFile(this.#file, this.#synchronous, this.#given);
        if (this.#opened.isGone()) this.#leave();
        return job();
      } catch (error) {
        const code = resultCodeOf(error);
        if (code === codes.FULL) this.#makeRoom();
        const isLocked = code === codes.BUSY || code === codes.LOCKED;
        if (!isLocked || now() - begun > timeout) throw storeError(this.#file, error);
      }
      await wait(ms * (0.5 + Math.random() / 2));
    }
  }
}

const meanings = new Map([
  [codes.BUSY, 'it is locked by another program'],
  [codes.LOCKED, 'it is locked by another program'],
  [codes.READONLY, 'it cannot be written'],
  [codes.IOERR, 'reading or writing failed; is the disk full?'],
  [codes.CORRUPT, 'it is damaged; move it away to begin anew, "sqlite3 <file> .recover" may save what is in it'],
  [codes.FULL, 'the disk is full'],
  [codes.CANTOPEN, 'it cannot be opened'],
  [codes.NOTADB, 'it is not a database of SQLite; move it away to begin anew'],
]);

/** With the name of the file and what to do. */
function storeError(file: string, error: unknown): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code?.startsWith('NSV_')) return error as Error;
  const meaning = code === 'ENOENT' ? 'its directory does not exist' : meanings.get(resultCodeOf(error) ?? -1);
  const what = meaning ? `${meaning} (${message})` : message;
  return queueError('NSV_STORE', `the store ${resolve(file)} failed: ${what}`, error);
}
