// SQLite, from wherever it is to be had: Node's own from 22.13 on, else a package that the user has installed. Their APIs are the same as
// far as they are used here.
import { createRequire } from 'node:module';
import { queueError } from '../../errors.ts';

export interface Statement {
  run(...values: SqlValue[]): { changes: number | bigint };
  get(...values: SqlValue[]): unknown;
  all(...values: SqlValue[]): unknown[];
}

export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

export type SqlValue = string | number | null;

type Constructor = new (file: string) => Database;

/** Throws NSV_NO_SQLITE. */
export function openDatabase(file: string): Database {
  found ??= find();
  return new found(file);
}

let found: Constructor | undefined;

function find(): Constructor {
  const known = ownSqlite() ?? installed('libsql') ?? installed('better-sqlite3');
  if (known) return known;
  const what = `Node ${process.versions.node} has no SQLite, and neither "libsql" nor "better-sqlite3" is installed`;
  throw queueError('NSV_NO_SQLITE', `${what}: install one of them, use Node 22.13 or later, or another store`);
}

function ownSqlite(): Constructor | undefined {
  // Node 22 warns that this is an experiment. What is used here has not changed since.
  const { emitWarning } = process;
  process.emitWarning = (...all: unknown[]) =>
    String(all[0]).startsWith('SQLite is an experimental') ? undefined : Reflect.apply(emitWarning, process, all);
  try {
    // Not in the types of Node 20.
    const sqlite = process.getBuiltinModule('node:sqlite' as 'node:fs') as unknown as
      | { DatabaseSync: Constructor }
      | undefined;
    return sqlite?.DatabaseSync;
  } finally {
    process.emitWarning = emitWarning;
  }
}

function installed(name: 'libsql' | 'better-sqlite3'): Constructor | undefined {
  try {
    return createRequire(import.meta.filename)(name) as Constructor;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined;
    throw queueError('NSV_NO_SQLITE', `the package "${name}" cannot be loaded: ${(error as Error).message}`, error);
  }
}

/** The result code of SQLite: https://sqlite.org/rescode.html. Undefined if the error is not one of SQLite's. */
export function resultCodeOf(error: unknown): number | undefined {
  const { errcode, rawCode, code } = error as { errcode?: number; rawCode?: number; code?: string };
  const known = errcode ?? rawCode;
  if (known !== undefined) return known & 0xff;
  return Object.entries(codes).find(([name]) => code?.startsWith(`SQLITE_${name}`))?.[1];
}

export const codes = { BUSY: 5, LOCKED: 6, READONLY: 8, IOERR: 10, CORRUPT: 11, FULL: 13, CANTOPEN: 14, NOTADB: 26 };
