// Where the input of a process comes from and where its output goes.
import type { Readable } from 'node:stream';
import type { LineFormat } from '../../config/logs.ts';

/** A file, a descriptor that the process inherits, or a consumer of the output once the process is running. */
export type Outlet = string | number | ((output: Readable, pid: number) => void);

export interface Streams {
  outFile: Outlet;
  errorFile: Outlet;
  /** A file to which the lines of both are copied. Only with a format. */
  logFile?: string | undefined;
  /** Default: /dev/null. */
  stdin?: 'inherit';
  /** Default: its own. `ours`: the daemon's session and process group, in the foreground of the terminal. */
  session?: 'ours';
  /** Format of lines in the files. Default: unchanged. */
  format?: LineFormat | undefined;
  /** Whether the user of the app has to open this file, instead of the daemon (os/trust/trusted-path.ts). Default: none. */
  isUserFile?: ((file: string) => boolean) | undefined;
}

/** Null if the outlet is not a file. */
export function fileOf(outlet: Outlet): string | null {
  return typeof outlet === 'string' ? outlet : null;
}

/** All files that the output goes to. */
export function allFiles({
  outFile,
  errorFile,
  logFile,
}: Pick<Streams, 'outFile' | 'errorFile' | 'logFile'>): string[] {
  return [fileOf(outFile), fileOf(errorFile), logFile].flatMap((file) => file ?? []);
}
