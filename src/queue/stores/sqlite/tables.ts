// The tables of a store.
import { resolve } from 'node:path';
import { queueError } from '../../errors.ts';
import type { Database } from './driver.ts';

/** Creates them in a new file. Throws NSV_STORE if a later version of nsv has made the file. */
export function prepareTables(database: Database, file: string): void {
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
