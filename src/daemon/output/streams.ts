// Where the input of a process comes from, and its output goes to.
import type { Readable } from 'node:stream';

/** A file; a descriptor of ours that the process inherits; or who reads the output, once it is there. */
export type Outlet = string | number | ((output: Readable) => void);

export interface Streams {
  outFile: Outlet;
  errorFile: Outlet;
  /** Default: none, /dev/null. */
  stdin?: 'inherit';
  /** Default: its own. `ours`: it stays in our session and process group, and so in the foreground of our terminal. */
  session?: 'ours';
}

/** Null when it is no file. */
export function fileOf(outlet: Outlet): string | null {
  return typeof outlet === 'string' ? outlet : null;
}

/** Those that are files. */
export function filesAmong(outlets: readonly Outlet[]): string[] {
  return outlets.flatMap((outlet) => fileOf(outlet) ?? []);
}
