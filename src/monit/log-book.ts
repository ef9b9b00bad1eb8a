// The last lines of each log, and of all of them together. Lists are replaced, never changed: who holds one can go on with it.
import type { LogOrigin } from '../cli/render/log-line.ts';

export interface LogEntry extends LogOrigin {
  file: string;
  /** Counts up over all files. */
  number: number;
  text: string;
}

export interface LogBook {
  all: readonly LogEntry[];
  byFile: ReadonlyMap<string, readonly LogEntry[]>;
}

/** Lines that are kept of each file, and of all together. */
export const mostLines = 1_000;

export const emptyBook: LogBook = { all: [], byFile: new Map() };

/** `entries` ascend. */
export function withEntries(book: LogBook, entries: readonly LogEntry[]): LogBook {
  const byFile = new Map(book.byFile);
  for (const file of new Set(entries.map((entry) => entry.file))) {
    const fresh = entries.filter((entry) => entry.file === file);
    byFile.set(file, lastOf(byFile.get(file) ?? [], fresh));
  }
  return { all: lastOf(book.all, entries), byFile };
}

/** Forgets the files that nobody writes any more; what was seen of all together stays. */
export function withoutOthers(book: LogBook, files: ReadonlySet<string | null>): LogBook {
  const kept = [...book.byFile].filter(([file]) => files.has(file));
  return kept.length === book.byFile.size ? book : { ...book, byFile: new Map(kept) };
}

/** Those of one process, in the order in which they came. */
export function linesOf({ byFile }: LogBook, files: readonly (string | null)[]): readonly LogEntry[] {
  const entries = [...new Set(files)].map((file) => (file === null ? [] : (byFile.get(file) ?? [])));
  return entries.flat().sort((a, b) => a.number - b.number);
}

function lastOf(before: readonly LogEntry[], after: readonly LogEntry[]): readonly LogEntry[] {
  return [...before, ...after].slice(-mostLines);
}
