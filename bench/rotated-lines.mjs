// What was written to a log, through all its rotations.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** All lines of a log, oldest first; a file at a time, for there may be millions. */
export function* linesThrough(log) {
  const [directory, base] = [dirname(log), basename(log)];
  const rotated = /^\.[\dTZ-]+(\.gz)?$/;
  const names = readdirSync(directory).filter((name) => name.startsWith(base) && rotated.test(name.slice(base.length)));
  const plain = new Set(names.map((name) => name.replace(/\.gz$/, '')));
  for (const name of [...plain].sort()) yield* linesOf(rotatedText(join(directory, name)));
  yield* linesOf(readFileSync(log, 'utf8'));
}

/** It may be compressed at this moment, and is then there under the one name or the other. */
function rotatedText(file) {
  const zipped = `${file}.gz`;
  if (existsSync(zipped)) return gunzipSync(readFileSync(zipped)).toString();
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (!existsSync(zipped)) throw error;
    return rotatedText(file);
  }
}

const linesOf = (text) => text.split('\n').slice(0, -1);
