// Retention of rotated files: compresses old ones and deletes the oldest.
import {
  closeSync,
  constants,
  createReadStream,
  createWriteStream,
  fstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Retention } from '../ipc/rotator-messages.ts';
import { sizeOf } from '../logs/rotation-recovery.ts';
import { errnoOf } from '../shared/errno.ts';
import { allRotations, draftSuffix, type RotatedLog, rotationsOf } from '../shared/rotations.ts';
import { copyAttributes } from './copy-attributes.ts';

const compressed = '.gz';
const torn = `${compressed}${draftSuffix}`;

interface Found extends RotatedLog, RotatedFile {}

/** An error with one file does not stop the others; the first error is reported. */
export interface CleanedUp {
  deleted: string[];
  failure: unknown;
}

/** Bytes that the limits leave for one file. */
export function mostKept(file: string, { total, logs }: Retention): number {
  const limits = [total, dirname(file) === logs.directory ? logs.most : 0];
  return Math.min(...limits.filter((limit) => limit > 0));
}

/** Deletes files beyond the limits of the log, of its app and of all apps. */
export function deleteOverQuota(file: string, { keep, total, family, logs }: Retention): CleanedUp {
  const cleaned: CleanedUp = { deleted: [], failure: undefined };
  removeTorn(file);
  remove(rotatedFrom(file).slice(keep), cleaned);
  const ofApp = family.flatMap(rotatedFrom).sort((a, b) => b.at - a.at);
  remove(overQuota(ofApp, sum(family), total), cleaned);
  if (dirname(file) !== logs.directory) return cleaned;
  const names = namesIn(logs.directory);
  const rotated = found(logs.directory, allRotations(names));
  const isRotated = new Set(rotated.map(({ name }) => name));
  const present = sum(names.filter((name) => !isRotated.has(name)).map((name) => join(logs.directory, name)));
  remove(overQuota(rotated, present, logs.most), cleaned);
  return cleaned;
}

/**
 * Compresses all rotations of the file but the newest, whose end a follower of the log may not have read yet. Runs in
 * the thread pool; if the process dies meanwhile, the original file is still there. Tries every file, then rejects with
 * the first error.
 */
export async function compressOld(file: string): Promise<void> {
  const failures: unknown[] = [];
  for (const { path, isCompressed } of rotatedFrom(file).slice(1))
    if (!isCompressed) await compress(path).catch((error) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/** Removes files that an interrupted compression left; only one file is compressed at a time, and none is now. */
function removeTorn(file: string): void {
  for (const name of namesIn(dirname(file))) {
    const whole = name.slice(0, -torn.length);
    if (name.endsWith(torn) && rotationsOf(file, [whole]).length > 0)
      rmSync(join(dirname(file), name), { force: true });
  }
}

async function compress(path: string): Promise<void> {
  const source = openRegular(path);
  if (source === undefined) return;
  const draft = `${path}${torn}`;
  const input = createReadStream(path, { fd: source });
  try {
    rmSync(draft, { force: true });
    // Closed by the stream.
    const fd = openSync(draft, 'wx', 0o600);
    copyAttributes(fd, fstatSync(source));
    await pipeline(input, createGzip(), createWriteStream(draft, { fd }));
    renameSync(draft, `${path}${compressed}`);
    rmSync(path, { force: true });
  } finally {
    input.destroy();
    rmSync(draft, { force: true });
  }
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Undefined for what somebody has put there instead of a rotated log: of a FIFO or a link to a device there is no end. */
function openRegular(path: string): number | undefined {
  let fd: number;
  try {
    fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (errnoOf(error) === 'ELOOP') return undefined;
    throw error;
  }
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  return undefined;
}

function rotatedFrom(file: string): Found[] {
  return found(dirname(file), rotationsOf(file, namesIn(dirname(file))));
}

function found(directory: string, rotations: RotatedLog[]): Found[] {
  return rotations.map((rotation) => {
    const path = join(directory, rotation.name);
    return { ...rotation, path, bytes: sizeOf(path) };
  });
}

function remove(files: readonly RotatedFile[], cleaned: CleanedUp): void {
  for (const { path } of files) {
    try {
      rmSync(path, { force: true });
      cleaned.deleted.push(path);
    } catch (error) {
      cleaned.failure ??= error;
    }
  }
}

function sum(files: readonly string[]): number {
  return files.reduce((bytes, file) => bytes + sizeOf(file), 0);
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

interface RotatedFile {
  path: string;
  bytes: number;
}

/**
 * Selects what exceeds a limit. `files` are sorted from newest to oldest. Returns those that do not fit into `most` bytes; `present` is the
 * size of what is kept in any case. 0 means no limit.
 */
export function overQuota<T extends RotatedFile>(files: readonly T[], present: number, most: number): T[] {
  if (most === 0) return [];
  let sum = present;
  const first = files.findIndex(({ bytes }) => {
    sum += bytes;
    return sum > most;
  });
  return first < 0 ? [] : files.slice(first);
}
