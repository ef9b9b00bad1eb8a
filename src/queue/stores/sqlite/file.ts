// The file of a store: opens it, makes its tables, and says what is wrong with it.
import { closeSync, openSync } from 'node:fs';
import { resolve } from 'node:path';
import { queueError } from '../../errors.ts';
import { codes, type Database, openDatabase, resultCodeOf } from './driver.ts';

/** Throws the errors of SQLite: the file may be locked while another process makes the tables. */
export function openFile(file: string, synchronous: 'normal' | 'full'): Database {
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
export function storeError(file: string, error: unknown): Error {
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
