// The last lines of each log, and of all together. Lists are replaced, never changed, so a caller can keep an old one.
import type { LogOrigin } from '../cli/render/log-line.ts';

export interface LogEntry extends LogOrigin {
  file: string;
  /** Ascending over all files. */
  number: number;
  text: string;
}

export interface LogBook {
  all: readonly LogEntry[];
  byFile: ReadonlyMap<string, readonly LogEntry[]>;
}

/** Lines kept per file, and in total. */
export const mostLines = 1_000;

export const emptyBook: LogBook = { all: [], byFile: new Map() };

/** `entries` must be in ascending order. */
export function withEntries(book: LogBook, entries: readonly LogEntry[]): LogBook {
  const byFile = new Map(book.byFile);
  for (const file of new Set(entries.map((entry) => entry.file))) {
    const fresh = entries.filter((entry) => entry.file === file);
    byFile.set(file, lastOf(byFile.get(file) ?? [], fresh));
  }
  return { all: lastOf(book.all, entries), byFile };
}

/** Forgets files that no process writes any more; their lines stay in the combined log. */
export function withoutOthers(book: LogBook, files: ReadonlySet<string | null>): LogBook {
  const kept = [...book.byFile].filter(([file]) => files.has(file));
  return kept.length === book.byFile.size ? book : { ...book, byFile: new Map(kept) };
}

/** The lines of one process in the order of their arrival. */
export function linesOf({ byFile }: LogBook, files: readonly (string | null)[]): readonly LogEntry[] {
  const entries = [...new Set(files)].map((file) => (file === null ? [] : (byFile.get(file) ?? [])));
  return entries.flat().sort((a, b) => a.number - b.number);
}

function lastOf(before: readonly LogEntry[], after: readonly LogEntry[]): readonly LogEntry[] {
  return [...before, ...after].slice(-mostLines);
}
