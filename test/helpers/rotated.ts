// What was written to a log, through all its rotations.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type Rotation, rotationsOf } from '../../src/shared/rotations.ts';

/** The newest first. */
export function rotations(file: string): Rotation[] {
  return rotationsOf(file, readdirSync(dirname(file)));
}

/** All lines from the oldest rotation to the log itself. */
export function linesThrough(file: string): string[] {
  const texts = rotations(file)
    .reverse()
    .map(({ name, isCompressed }) => {
      const bytes = readFileSync(join(dirname(file), name));
      return (isCompressed ? gunzipSync(bytes) : bytes).toString();
    });
  return [...texts, readFileSync(file, 'utf8')].join('').split('\n').slice(0, -1);
}
