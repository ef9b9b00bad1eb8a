// Reads the journal of events. The daemon goes on writing meanwhile, and may rotate it.
import { closeSync, fstatSync, readSync } from 'node:fs';
import { parseEventLine } from '../../ipc/journal/event-line.ts';
import type { EventView, JournalEnd } from '../../ipc/journal/event-views.ts';
import { openToRead } from '../../os/trust/open-to-read.ts';
import { errnoOf } from '../../shared/errno.ts';
import { detailOf, failure } from '../../shared/errors.ts';
import { olderJournal } from '../../shared/paths.ts';

/** Bytes read of a file, from its end. Far above the limit that the daemon keeps. */
const mostBytes = 16 * 1024 * 1024;

interface Part {
  ino: number;
  text: string;
}

/**
 * Up to `end`, if given; otherwise all that is there. In the order of their times. `isWanted`: whether a line need be parsed.
 * Throws CANNOT_READ_JOURNAL.
 */
export function readJournal(file: string, end?: JournalEnd, isWanted = (_line: string) => true): EventView[] {
  const lines = partsBefore(partsOf(file), end).flatMap(({ text }) => text.split('\n').filter(isWanted));
  const events = lines.flatMap((line) => parseEventLine(line) ?? []);
  // The line that counts repeated events is written some time after them.
  return events.sort((one, other) => one.at - other.at);
}

/** The older file first. */
function partsOf(file: string): Part[] {
  const current = read(file);
  const older = read(olderJournal(file));
  // Rotated between the two.
  if (current && older && current.ino === older.ino) return partsOf(file);
  return [older, current].filter((part) => part !== undefined);
}

function partsBefore(parts: Part[], end: JournalEnd | undefined): Part[] {
  if (!end) return parts;
  const last = parts.findIndex(({ ino }) => ino === end.file);
  if (last === -1) return [];
  const { ino, text } = parts[last]!;
  const cut = Buffer.from(text).subarray(0, end.bytes).toString();
  return [...parts.slice(0, last), { ino, text: cut }];
}

function read(file: string): Part | undefined {
  try {
    const fd = openToRead(file);
    try {
      const { ino, size } = fstatSync(fd);
      const bytes = Buffer.alloc(Math.min(size, mostBytes));
      const length = readSync(fd, bytes, 0, bytes.length, size - bytes.length);
      return { ino, text: bytes.toString('utf8', 0, length) };
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw failure('CANNOT_READ_JOURNAL', { file, detail: detailOf(error) }, { cause: error });
  }
}
