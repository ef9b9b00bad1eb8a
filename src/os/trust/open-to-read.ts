// Opens regular files for reading, and nothing else: opening a FIFO waits for a writer, and opening a device may do
// anything.
import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { hasProc } from '../proc.ts';

/** Linux: names a file without opening it (O_PATH of open(2)). Node has no constant for it. */
export const pathOnly = 0o10000000;
const { O_RDONLY, O_NONBLOCK, O_NOCTTY } = constants;
const flags = O_RDONLY | O_NONBLOCK | O_NOCTTY;

/**
 * Throws the system's error, or if it is not a regular file. `owner`: it must belong to this user, whatever links lead
 * to it, so that its content is no secret from that user.
 */
export function openToRead(file: string, owner?: number): number {
  if (!hasProc) return checked(openSync(file, flags), file, owner);
  const name = openSync(file, pathOnly);
  try {
    expectFile(name, file, owner);
    // The same file, even if the path leads to another one by now.
    return openSync(`/proc/self/fd/${name}`, flags);
  } finally {
    closeSync(name);
  }
}

function checked(fd: number, file: string, owner: number | undefined): number {
  try {
    expectFile(fd, file, owner);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function expectFile(fd: number, file: string, owner: number | undefined): void {
  const stats = fstatSync(fd);
  if (!stats.isFile()) throw new Error(`"${file}" is not a regular file`);
  if (owner !== undefined && stats.uid !== owner) throw new Error(`"${file}" belongs to another user`);
}
