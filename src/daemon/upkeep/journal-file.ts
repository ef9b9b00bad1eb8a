// The file of the journal, and its predecessor: of limited size, and never in the way of the daemon.
import { closeSync, constants, fstatSync, openSync, readSync, renameSync, statSync, writeSync } from 'node:fs';
import type { JournalEnd } from '../../ipc/journal/event-views.ts';
import { olderJournal } from '../../shared/paths.ts';

/** Bytes after which the file is renamed and begun anew: at most twice this much is kept. */
const sizeLimit = 1024 * 1024;

export type JournalFile = ReturnType<typeof createJournalFile>;

export interface JournalFileOptions {
  /** False when the home belongs to somebody else by now. */
  mayWrite(): boolean;
  limit?: number;
  /** Renders the line that says how many lines are missing. */
  renderLoss(count: number): string;
}

/** Opened for each batch, so whoever removes the file gets a new one. Not synced: only a power cut loses what is written. */
export function createJournalFile(file: string, options: JournalFileOptions) {
  const { mayWrite, renderLoss, limit = sizeLimit } = options;
  let lost = 0;

  function write(bytes: Buffer): void {
    let fd = open(file);
    try {
      let { size } = fstatSync(fd);
      if (size > 0 && size + bytes.length > limit) {
        renameSync(file, olderJournal(file));
        closeSync(fd);
        fd = -1;
        fd = open(file);
        size = 0;
      }
      const whole = endsWithLine(fd, size) ? bytes : Buffer.concat([Buffer.from('\n'), bytes]);
      for (let from = 0; from < whole.length; ) from += writeSync(fd, whole, from);
    } finally {
      if (fd !== -1) closeSync(fd);
    }
  }

  return {
    /** Appends lines, each with its line end. Lines that cannot be written are counted, and the next ones say so. */
    append(lines: string[]) {
      if (!mayWrite()) return;
      try {
        write(Buffer.from([...(lost > 0 ? [renderLoss(lost)] : []), ...lines].join('')));
        lost = 0;
      } catch {
        // A full disk, for example. The daemon has other things to do, and its log may be on the same disk.
        lost += lines.length;
      }
    },
    end(): JournalEnd {
      const { ino = 0, size = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {};
      return { file: ino, bytes: size };
    },
  };
}

/** Does not wait for a reader, should it be a FIFO. */
function open(file: string): number {
  const { O_RDWR, O_APPEND, O_CREAT, O_NONBLOCK } = constants;
  return openSync(file, O_RDWR | O_APPEND | O_CREAT | O_NONBLOCK, 0o600);
}

/** The disk was full in the middle of a line, or a daemon was killed there. */
function endsWithLine(fd: number, size: number): boolean {
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  return readSync(fd, last, 0, 1, size - 1) === 0 || last.toString() === '\n';
}
