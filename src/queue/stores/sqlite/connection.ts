// A connection to the file of a store, which other processes write, too. It is opened with the first use, which may make the tables.
import { closeSync, openSync } from 'node:fs';
import { resolve } from 'node:path';
import { now, wait } from '../../../app/clock.ts';
import { queueError } from '../../errors.ts';
import { codes, type Database, openDatabase, resultCodeOf, type SqlValue, type Statement } from './driver.ts';

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
  readonly #statements = new Map<string, Statement>();
  #database: Database | undefined;
  #writes: Write[] = [];

  constructor(file: string, synchronous: 'normal' | 'full') {
    this.#file = file;
    this.#synchronous = synchronous;
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
    this.#database?.close();
    this.#database = undefined;
  }

  #prepared(sql: string): Statement {
    const known = this.#statements.get(sql) ?? this.#database!.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  }

  async #flush(): Promise<void> {
    const writes = this.#writes;
    this.#writes = [];
    try {
      const results = await this.#whenFree(() => this.#transaction(writes));
      for (const [at, { resolve }] of writes.entries()) resolve(results[at]);
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
      this.#database?.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // Others use the log at the moment, or there is no room for that either.
    }
  }

  async #whenFree<T>(job: () => T): Promise<T> {
    const begun = now();
    for (let ms: number = waits[0]; ; ms = Math.min(ms * 2, waits[1])) {
      try {
        this.#database ??= openFile(this.#file, this.#synchronous);
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

/** Throws the errors of SQLite: the file may be locked while another process makes the tables. */
function openFile(file: string, synchronous: 'normal' | 'full'): Database {
  // Before SQLite makes it: tasks may contain what other users must not read. Its two companions get the same mode.
  closeSync(openSync(file, 'a', 0o600));
  const database = openDatabase(file);
  try {
    // A wait in SQLite would block the event loop.
    database.exec('PRAGMA busy_timeout = 0');
    database.exec(`PRAGMA synchronous = ${synchronous}`);
    // Pages of the log, 16 MB, before SQLite copies it to the file and waits for the disk: by default it does so every 100 tasks.
    database.exec('PRAGMA wal_autocheckpoint = 4000');
    database.exec('PRAGMA journal_mode = WAL');
    prepareTables(database, file);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function prepareTables(database: Database, file: string): void {
  if (versionOf(database) === schemaVersion) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    const version = versionOf(database);
    if (version > schemaVersion) throw queueError('NSV_STORE', `${resolve(file)} was made by a later version of nsv`);
    if (version === 0) database.exec(schema);
    database.exec(`PRAGMA user_version = ${schemaVersion}`);
    database.exec('COMMIT');
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
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
  const meaning = meanings.get(resultCodeOf(error) ?? -1);
  const what = meaning ? `${meaning} (${message})` : message;
  return queueError('NSV_STORE', `the store ${resolve(file)} failed: ${what}`, error);
}

/** Raised with each change. A file of a later version is refused. */
const schemaVersion = 1;

/** A task that waits for the end of its delay is `delayed`, so that those whose turn it is are found at once. */
const schema = `
  CREATE TABLE tasks (
    number INTEGER PRIMARY KEY,
    queue TEXT NOT NULL,
    id TEXT NOT NULL,
    state TEXT NOT NULL,
    priority INTEGER NOT NULL,
    data TEXT NOT NULL,
    result TEXT,
    error TEXT,
    progress TEXT,
    failures INTEGER NOT NULL DEFAULT 0,
    deaths INTEGER NOT NULL DEFAULT 0,
    added_at INTEGER NOT NULL,
    due_at INTEGER,
    started_at INTEGER,
    finished_at INTEGER,
    token INTEGER NOT NULL DEFAULT 0,
    owner TEXT,
    worker TEXT,
    lease_until INTEGER,
    UNIQUE (queue, id)
  ) STRICT;
  CREATE INDEX tasks_pending ON tasks (queue, priority, number) WHERE state = 'pending';
  CREATE INDEX tasks_delayed ON tasks (queue, due_at) WHERE state = 'delayed';
  CREATE INDEX tasks_running ON tasks (queue) WHERE state = 'running';
  CREATE INDEX tasks_completed ON tasks (queue, finished_at) WHERE state = 'completed';
  CREATE INDEX tasks_failed ON tasks (queue, finished_at) WHERE state = 'failed';
  CREATE TABLE starts (queue TEXT NOT NULL, at INTEGER NOT NULL) STRICT;
  CREATE INDEX starts_at ON starts (queue, at);
  CREATE TABLE paused (queue TEXT PRIMARY KEY) STRICT;
`;

function versionOf(database: Database): number {
  return (database.prepare('PRAGMA user_version').get() as { user_version: number }).user_version;
}
