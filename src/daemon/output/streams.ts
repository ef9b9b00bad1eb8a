// Where the input of a process comes from, and its output goes to.
import type { Readable } from 'node:stream';
import type { LineFormat } from '../../config/line-format.ts';

/** A file; a descriptor of ours that the process inherits; or who reads the output, once it is there. */
export type Outlet = string | number | ((output: Readable, pid: number) => void);

export interface Streams {
  outFile: Outlet;
  errorFile: Outlet;
  /** Default: none, /dev/null. */
  stdin?: 'inherit';
  /** Default: its own. `ours`: it stays in our session and process group, and so in the foreground of our terminal. */
  session?: 'ours';
  /** How lines are to look in the files. Default: as they are printed. */
  format?: LineFormat | undefined;
}

/** Null when it is no file. */
export function fileOf(outlet: Outlet): string | null {
  return typeof outlet === 'string' ? outlet : null;
}

/** Those that are files. */
export function filesAmong(outlets: readonly Outlet[]): string[] {
  return outlets.flatMap((outlet) => fileOf(outlet) ?? []);
}
