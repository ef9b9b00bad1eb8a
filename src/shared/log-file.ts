// Opens log files for writing.
import { constants, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf } from './errno.ts';
import { detailOf, failure } from './errors.ts';

const { O_WRONLY, O_APPEND, O_CREAT, O_NOCTTY, O_NONBLOCK } = constants;

/**
 * O_NONBLOCK: opening a FIFO without a reader fails instead of blocking; spawn clears the flag for the app.
 * O_NOCTTY: a terminal used as log file does not become the controlling terminal.
 */
const flags = O_WRONLY | O_APPEND | O_CREAT | O_NOCTTY | O_NONBLOCK;

/** Whether the file is a device such as /dev/null, or /proc/1/fd/1, which does not grow. Files in /dev/shm are in memory and do grow. */
export function isDevice(file: string): boolean {
  return /^\/(dev(?!\/shm)|proc)\//.test(file);
}

/**
 * The descriptor of which the file is a name. Each process that opens it gets its own; a socket, such as a daemon of systemd has,
 * cannot be opened at all.
 */
export function standardDescriptor(file: string | undefined): 1 | 2 | undefined {
  const [, out, error] = /^\/(?:dev\/std|(?:dev|proc\/self)\/fd\/)(?:(out|1)|(err|2))$/.exec(file ?? '') ?? [];
  if (out !== undefined) return 1;
  return error === undefined ? undefined : 2;
}

/** Opens a log file, creating it and, unless `cwd` is gone, its parent directories if needed. Throws CANNOT_OPEN_LOG. */
export function openLog(file: string, cwd = '/'): number {
  try {
    return openOrCreate(file, cwd);
  } catch (cause) {
    throw failure('CANNOT_OPEN_LOG', { file, detail: detailOf(cause) }, { cause });
  }
}

/** False for a directory that this user may not look at: a file system of somebody else's. */
export function isGone(directory: string): boolean {
  try {
    return !statSync(directory, { throwIfNoEntry: false })?.isDirectory();
  } catch {
    return false;
  }
}

function openOrCreate(file: string, cwd: string): number {
  try {
    return openSync(file, flags, 0o640);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT' || isGone(cwd)) throw error;
    makeDirectory(dirname(file));
    return openSync(file, flags, 0o640);
  }
}

/**
 * Creates missing parents without `recursive: true`: in a directory where nothing can be created, such as /proc, Node
 * 20 to 26 retry for ever.
 */
function makeDirectory(directory: string): void {
  const parent = dirname(directory);
  if (!existsSync(parent)) makeDirectory(parent);
  try {
    mkdirSync(directory, { mode: 0o750 });
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}
