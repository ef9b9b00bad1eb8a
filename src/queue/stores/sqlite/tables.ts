// The tables of a store. Their names say whose they are: the file may be a database of the app's own.
import { resolve } from 'node:path';
import { queueError } from '../../errors.ts';
import type { Database } from './driver.ts';

/**
 * Creates them where there are none. Throws NSV_STORE if a later version of nsv has made them. `isOwn`: nobody else has tables in the
 * file.
 */
export function prepareTables(database: Database, file: string, isOwn: boolean): void {
  if (versionOf(database) === schemaVersion) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have been first.
    const version = versionOf(database);
    if (version > schemaVersion)
      throw queueError('NSV_STORE', `the tables in ${resolve(file)} were made by a later version of nsv`);
    if (version === 0) database.exec(schema);
    if (version === 0 && isOwn) database.exec(`PRAGMA application_id = ${applicationId}`);
    database.exec('COMMIT');
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}

/** Whether nobody else has tables in the file. */
export function isOwnFile(database: Database): boolean {
  return (
    database.prepare(`SELECT 1 FROM sqlite_schema WHERE tbl_name NOT LIKE 'nsv\\_%' ESCAPE '\\'`).get() === undefined
  );
}

/** 0 without tables. */
function versionOf(database: Database): number {
  const isThere = database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'nsv_version'`).get();
  if (!isThere) return 0;
  return (database.prepare('SELECT version FROM nsv_version').get() as { version: number }).version;
}

/** "nsvq", for file(1). */
const applicationId = 0x6e737671;
/** Raised with each change. */
const schemaVersion = 1;

/** A task that waits for the end of its delay is `delayed`, so that those whose turn it is are found at once. */
const schema = `
  CREATE TABLE nsv_version (version INTEGER NOT NULL) STRICT;
  INSERT INTO nsv_version VALUES (${schemaVersion});
  CREATE TABLE nsv_tasks (
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
    beat INTEGER NOT NULL DEFAULT 0,
    owner TEXT,
    worker TEXT,
    UNIQUE (queue, id)
  ) STRICT;
  CREATE INDEX nsv_tasks_pending ON nsv_tasks (queue, priority, number) WHERE state = 'pending';
  CREATE INDEX nsv_tasks_delayed ON nsv_tasks (queue, due_at) WHERE state = 'delayed';
  CREATE INDEX nsv_tasks_running ON nsv_tasks (queue) WHERE state = 'running';
  CREATE INDEX nsv_tasks_completed ON nsv_tasks (queue, finished_at) WHERE state = 'completed';
  CREATE INDEX nsv_tasks_failed ON nsv_tasks (queue, finished_at) WHERE state = 'failed';
  CREATE TABLE nsv_queues (
    queue TEXT PRIMARY KEY,
    paused INTEGER NOT NULL DEFAULT 0,
    token INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE TABLE nsv_starts (queue TEXT NOT NULL, at INTEGER NOT NULL) STRICT;
  CREATE INDEX nsv_starts_at ON nsv_starts (queue, at);
`;
