// How a log file is opened, by whoever writes to it.
import { constants, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf } from './errno.ts';
import { detailOf, failure } from './errors.ts';

const { O_WRONLY, O_APPEND, O_CREAT, O_NOCTTY, O_NONBLOCK } = constants;

/**
 * O_NONBLOCK: a FIFO that nobody reads must fail here instead of stopping us; spawn takes it off again for the app.
 * O_NOCTTY: a terminal named as log file must not become our own.
 */
const flags = O_WRONLY | O_APPEND | O_CREAT | O_NOCTTY | O_NONBLOCK;

/** Whether it names a device, such as /dev/null, and no file that grows: those in /dev/shm are in memory, and do. */
export function isDevice(file: string): boolean {
  return file.startsWith('/dev/') && !file.startsWith('/dev/shm/');
}

/** Makes the file, and the directories above it, where they are not there. Throws CANNOT_OPEN_LOG. */
export function openLog(file: string): number {
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
    if (errnoOf(error) !== 'ENOENT') throw error;
    makeDirectory(dirname(file));
    return openSync(file, flags, 0o640);
  }
}

/**
 * Not with `recursive: true`: where the one above is there and yet nothing can be made in it, as in /proc, Node 20 to 26
 * try again for ever.
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
