// Messages between the daemon and the formatter, one JSON object per line.
import type { LineFormat } from '../config/logs.ts';

/** The output of one process. Its FIFOs are `<id>.out` and `<id>.err` in the home. */
export interface Source {
  id: string;
  app: string;
  /** The working directory of the app. */
  cwd: string;
  slot: number;
  pid: number;
  format: LineFormat;
  /** The log file of each stream; null if the stream has no FIFO. */
  out: string | null;
  err: string | null;
  /** The file that gets the lines of both, too. */
  log?: string;
  /** Files that the user of the app could replace, so a process of that user writes them. */
  theirs?: string[];
  owner?: SourceOwner;
}

/** Ids, as in the settings of an app. */
export interface SourceOwner {
  uid: string | undefined;
  gid: string | undefined;
}

export type ToFormatter =
  /** Read the FIFOs of a process until all writers have closed them. Repeating the message has no effect. */
  | { do: 'read'; source: Source }
  /** The process has exited: write the rest of its output, then reply with `finished`. */
  | { do: 'finish'; id: string };

export type FromFormatter =
  | { is: 'finished'; id: string }
  /** A log file cannot be written, and lines are lost. Sent once. */
  | { is: 'failed'; file: string; detail: string }
  /** The log file can be written: sent once after it was opened, and after a failure, in which so many bytes were lost. */
  | { is: 'written'; file: string; lost: number };

/** The file name of a FIFO. */
export function fifoName(id: string, stream: 'out' | 'err'): string {
  return `${id}.${stream}`;
}
