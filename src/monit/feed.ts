// Prepares log lines for the screen: numbers, cuts and cleans them, and drops those that would scroll by unseen.
import { stripVTControlCharacters } from 'node:util';
import type { LogSink, LogSource } from '../cli/render/log-line.ts';
import { type LogEntry, mostLines } from './log-book.ts';

/** Bytes shown of a line. */
const mostBytes = 4_096;

interface Line {
  number: number;
  source: LogSource;
  bytes: Buffer;
}

export function createFeed(onEntries: (entries: LogEntry[]) => void): LogSink {
  let number = 0;
  const waiting = new Map<string, Line[]>();
  return {
    emit(source, bytes) {
      const lines = waiting.get(source.file) ?? [];
      waiting.set(source.file, lines);
      number += 1;
      lines.push({ number, source, bytes });
      if (lines.length > 2 * mostLines) lines.splice(0, mostLines);
    },
    async flush() {
      const lines = [...waiting.values()].flatMap((each) => each.slice(-mostLines));
      waiting.clear();
      if (lines.length > 0) onEntries(lines.sort((a, b) => a.number - b.number).map(entryOf));
      // Lets keys and list updates be handled, however much is logged.
      await new Promise((resolve) => setImmediate(resolve));
    },
    tellUntimed: () => {},
  };
}

function entryOf({ number, source, bytes }: Line): LogEntry {
  return { ...source, number, text: legible(bytes) };
}

/** Removes colours and other control sequences. */
export function legible(bytes: Buffer): string {
  return stripVTControlCharacters(bytes.subarray(0, mostBytes).toString()).replace(/\r$/, '').replaceAll('\t', '    ');
}
