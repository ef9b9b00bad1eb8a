// Opens the file of a store, and says what is wrong with it.
import { closeSync, openSync } from 'node:fs';
import { resolve } from 'node:path';
import { queueError } from '../../errors.ts';
import { codes, type Database, openDatabase, resultCodeOf } from './driver.ts';
import { schema, schemaVersion, versionOf } from './schema.ts';

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
