// The database files that this process has open: one connection to each, however many stores and copies of this library use it.
import { randomUUID } from 'node:crypto';
import { type BigIntStats, closeSync, existsSync, linkSync, openSync, statSync, unlinkSync } from 'node:fs';
import { shared } from '../../../app/shared.ts';
import { type Constructor, type Database, openDatabase } from './driver.ts';
import { isOwnFile, prepareTables } from './tables.ts';

interface OpenFile {
  readonly database: Database;
  users: number;
}

export interface FileHandle {
  readonly database: Database;
  /** Whether its path leads to it no longer: it was deleted, or replaced. */
  isGone(): boolean;
  /** The last one closes the connection. */
  close(): void;
}

/** By device and inode: a file may have several paths, and a path another file later. */
const openFiles = shared('queue sqlite files', () => new Map<string, OpenFile>());

/** Instead of a path: a database of its own for each connection. */
export const memory = ':memory:';

/**
 * Creates the file if there is none. Throws errors of SQLite and of the file system: the file may be locked while another process creates
 * the tables. With `full`, commits through this connection wait for the disk until its last user has closed it.
 */
export function openFile(path: string, synchronous: 'normal' | 'full', given?: Constructor): FileHandle {
  if (path === memory) return openMemory(given);
  createFile(path);
  const key = keyOf(statSync(path, { bigint: true }));
  const file = openFiles.get(key) ?? { database: connect(path, given), users: 0 };
  openFiles.set(key, file);
  if (synchronous === 'full') file.database.exec('PRAGMA synchronous = full');
  file.users += 1;
  return {
    database: file.database,
    isGone() {
      const found = statSync(path, { bigint: true, throwIfNoEntry: false });
      return !found || keyOf(found) !== key;
    },
    close() {
      file.users -= 1;
      if (file.users > 0) return;
      openFiles.delete(key);
      file.database.close();
    },
  };
}

function openMemory(given?: Constructor): FileHandle {
  const database = connect(memory, given);
  return { database, isGone: () => false, close: () => database.close() };
}

function keyOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

/**
 * SQLite itself would let other users read the file. Its companions (-wal and -shm) get the same mode. The descriptor is closed before the
 * file has its name: closing any descriptor of a file drops all locks of the process on it, in all threads, and the next process to close
 * the file would delete the log, which is still in use (https://sqlite.org/howtocorrupt.html, 2.2).
 */
function createFile(path: string): void {
  if (existsSync(path)) return;
  const temporary = `${path}.${randomUUID()}`;
  closeSync(openSync(temporary, 'wx', 0o600));
  try {
    linkSync(temporary, path);
  } catch {
    // Either another process was first, or the target of a symbolic link is missing, or the file system has no hard links. In the last two
    // cases the descriptor stays open.
    if (!existsSync(path)) openSync(path, 'a', 0o600);
  } finally {
    unlinkSync(temporary);
  }
}

function connect(path: string, given: Constructor | undefined): Database {
  const database = openDatabase(path, given);
  try {
    // A wait in SQLite would block the event loop.
    database.exec('PRAGMA busy_timeout = 0');
    database.exec('PRAGMA synchronous = normal');
    // Pages of the log, 16 MB, before SQLite copies it to the file and waits for the disk: by default it does so every 100 tasks.
    database.exec('PRAGMA wal_autocheckpoint = 4000');
    // It is kept in the file: the app decides it for a database of its own.
    const isOwn = isOwnFile(database);
    if (isOwn) database.exec('PRAGMA journal_mode = WAL');
    prepareTables(database, path, isOwn);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
