// What becomes of rotated files: the old ones are compressed, the oldest deleted.
import { createReadStream, createWriteStream, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Retention } from '../ipc/rotator-messages.ts';
import { allRotations, draftSuffix, type Rotation, rotationsOf } from '../shared/rotations.ts';
import { takeAfter } from './likeness.ts';
import { beyond, type Kept } from './surplus.ts';

interface Found extends Rotation, Kept {}

/** Deletes what the limits leave no room for: of the file, of its app, of all apps. Returns their names. */
export function deleteSurplus(file: string, { keep, total, family, logs }: Retention): string[] {
  const deleted = remove(rotatedFrom(file).slice(keep));
  const ofApp = family.flatMap(rotatedFrom).sort((a, b) => b.at - a.at);
  deleted.push(...remove(beyond(ofApp, sum(family), total)));
  if (dirname(file) !== logs.directory) return deleted;
  const names = namesIn(logs.directory);
  const rotated = found(logs.directory, allRotations(names));
  const isRotated = new Set(rotated.map(({ name }) => name));
  const present = sum(names.filter((name) => !isRotated.has(name)).map((name) => join(logs.directory, name)));
  return [...deleted, ...remove(beyond(rotated, present, logs.most))];
}

/**
 * Compresses all rotations of the file but the newest: who follows the log may be about to read its end. In the pool of
 * threads; at a death in between the file is there as it was.
 */
export async function compressOld(file: string): Promise<void> {
  for (const { path, isCompressed } of rotatedFrom(file).slice(1)) if (!isCompressed) await compress(path);
}

async function compress(path: string): Promise<void> {
  const draft = `${path}.gz${draftSuffix}`;
  const stats = statSync(path);
  rmSync(draft, { force: true });
  // Closed by the stream.
  const fd = openSync(draft, 'wx', 0o600);
  try {
    takeAfter(fd, stats);
    await pipeline(createReadStream(path), createGzip(), createWriteStream(draft, { fd }));
    renameSync(draft, `${path}.gz`);
    rmSync(path, { force: true });
  } finally {
    rmSync(draft, { force: true });
  }
}

function rotatedFrom(file: string): Found[] {
  return found(dirname(file), rotationsOf(file, namesIn(dirname(file))));
}

function found(directory: string, rotations: Rotation[]): Found[] {
  return rotations.map((rotation) => {
    const path = join(directory, rotation.name);
    return { ...rotation, path, bytes: sizeOf(path) };
  });
}

function remove(surplus: readonly Kept[]): string[] {
  for (const { path } of surplus) rmSync(path, { force: true });
  return surplus.map(({ path }) => path);
}

function sum(files: readonly string[]): number {
  return files.reduce((bytes, file) => bytes + sizeOf(file), 0);
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
