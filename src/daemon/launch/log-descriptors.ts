// Opens the log files that become a process's standard output and standard error.
import { closeSync, constants, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { detailOf, failure } from '../../shared/errors.ts';

const { O_WRONLY, O_APPEND, O_CREAT, O_NOCTTY, O_NONBLOCK } = constants;

/**
 * O_NONBLOCK: a FIFO that nobody reads must fail here instead of stopping the daemon; spawn takes it off again.
 * O_NOCTTY: a terminal named as log file must not become the daemon's own.
 */
const flags = O_WRONLY | O_APPEND | O_CREAT | O_NOCTTY | O_NONBLOCK;

/** Lends the descriptors to `use` and closes them, whatever comes of it. One file for both is opened once. */
export function withLogs<T>(outFile: string, errorFile: string, use: (out: number, error: number) => T): T {
  const out = open(outFile);
  let error: number | undefined;
  try {
    error = errorFile === outFile ? out : open(errorFile);
    return use(out, error);
  } finally {
    closeSync(out);
    if (error !== undefined && error !== out) closeSync(error);
  }
}

function open(file: string): number {
  try {
    return openOrCreate(file);
  } catch (cause) {
    throw failure('CANNOT_OPEN_LOG', { file, detail: detailOf(cause) }, { cause });
  }
}

function openOrCreate(file: string): number {
  try {
    return openSync(file, flags, 0o640);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    mkdirSync(dirname(file), { recursive: true, mode: 0o750 });
    return openSync(file, flags, 0o640);
  }
}
