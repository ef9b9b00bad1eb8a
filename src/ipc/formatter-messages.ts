// What the daemon and the formatter say to each other, one JSON object a line.
import type { LineFormat } from '../config/line-format.ts';

/** The output of one process. Its FIFOs lie in the home: `<id>.out` and `<id>.err`. */
export interface Source {
  id: string;
  app: string;
  slot: number;
  pid: number;
  format: LineFormat;
  /** The log file of each stream; null for one that has no FIFO. */
  out: string | null;
  err: string | null;
}

export type ToFormatter =
  /** Read its FIFOs until nobody holds them any more. Said again, it changes nothing. */
  | { do: 'read'; source: Source }
  /** The process has ended: write what it has printed. Answered by `finished`. */
  | { do: 'finish'; id: string };

export type FromFormatter =
  | { is: 'finished'; id: string }
  /** A log file cannot be written, so lines are lost; told once. */
  | { is: 'failed'; file: string; detail: string }
  /** It can be written again. */
  | { is: 'recovered'; file: string; lost: number };

/** Where a FIFO lies in its folder. */
export function fifoName(id: string, stream: 'out' | 'err'): string {
  return `${id}.${stream}`;
}
