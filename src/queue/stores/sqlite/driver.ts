// SQLite, from wherever it is to be had: Node's own from 22.13 on, else a package that the user has installed. Their APIs are the same as
// far as they are used here.
import { queueError } from '../../errors.ts';
import { loadPackage } from '../load-package.ts';

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

export type Constructor = new (file: string) => Database;

/** Throws NSV_NO_SQLITE. `given`: the class to use. */
export function openDatabase(file: string, given?: Constructor): Database {
  const Class = given ?? find();
  return new Class(file);
}

let found: Constructor | undefined;

function find(): Constructor {
  found ??= ownSqlite() ?? installed('libsql') ?? installed('better-sqlite3');
  if (found) return found;
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
    return loadPackage(name) as Constructor | undefined;
  } catch (error) {
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
