// Maps calls to the lines of their sources, by the source map that a file names in its last lines. The process says which files
// these are, and its user may have made them: they may be anything.
import { closeSync, fstatSync, readSync, statSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openToRead } from '../../os/trust/open-to-read.ts';

/** A position in a file that runs. Lines and columns from 0 on. */
export interface Position {
  functionName: string;
  /** A path, a `file:` URL, or a name such as `node:net`. */
  url: string;
  line: number;
  /** Undefined for the whole line. */
  column?: number | undefined;
}

/** A call at a position in its source, if there is a source map. */
export interface SourceFrame {
  /** Empty for an anonymous function. */
  function: string;
  /** A path, or a name such as `node:net`. */
  file: string;
  /** From 1 on. Null if unknown. */
  line: number | null;
}

/** Bytes of a file or of its map, and of all of them together. Node takes 30 bytes of memory for each byte of a map. */
const largest = 32 * 1024 * 1024;
const mostBytes = 2 * largest;
/** Characters of the name of a source. */
const longestName = 1_000;
/** A column behind the end of each line: what it finds is the last statement of the line. */
const endOfLine = 1_000_000;

/** Reads each file once. A file or a map that cannot be read leaves positions as they are. */
export class SourceMaps {
  readonly #maps = new Map<string, SourceMap | undefined>();
  #left: number;

  /** `most`: bytes of all files together. */
  constructor(most = mostBytes) {
    this.#left = most;
  }

  /** `at`: when the file ran, in milliseconds since 1970; one that has been written since then is not what ran. */
  frameOf({ functionName, url, line, column = endOfLine }: Position, at = Number.POSITIVE_INFINITY): SourceFrame {
    const file = pathOf(url);
    const known = { function: functionName, file, line: line < 0 ? null : line + 1 };
    const found = this.#mapOf(file, at)?.findEntry(Math.max(0, line), column);
    if (line < 0 || !found || !('originalSource' in found)) return known;
    const { generatedLine, originalSource, originalLine } = found;
    // A line without a mapping finds one of an earlier line.
    if (generatedLine !== line || typeof originalSource !== 'string') return known;
    return { function: functionName, file: sourceOf(originalSource, file), line: originalLine + 1 };
  }

  #mapOf(file: string, at: number): SourceMap | undefined {
    if (!file.startsWith('/') || (at < Number.POSITIVE_INFINITY && writtenAt(file) > at)) return undefined;
    if (!this.#maps.has(file)) this.#maps.set(file, this.#readMap(file));
    return this.#maps.get(file);
  }

  #readMap(file: string): SourceMap | undefined {
    try {
      const name = [...this.#read(file).matchAll(/^\/\/[#@] sourceMappingURL=(\S+)\s*$/gm)].at(-1)?.[1];
      if (name === undefined) return undefined;
      const isWithin = name.startsWith('data:');
      const text = isWithin ? decoded(name) : this.#read(resolve(dirname(file), decodeURIComponent(name)));
      return new SourceMap(JSON.parse(text) as SourceMapPayload);
    } catch {
      return undefined;
    }
  }

  /** No more than the size of the file. Some of the kernel's have none, and no end; reading others takes their content away. */
  #read(file: string): string {
    const fd = openToRead(file);
    try {
      const { size } = fstatSync(fd);
      if (size > Math.min(largest, this.#left)) throw new Error(`"${file}" is too large`);
      this.#left -= size;
      const bytes = Buffer.allocUnsafe(size);
      let length = 0;
      for (let read = 1; read > 0 && length < size; length += read)
        read = readSync(fd, bytes, length, size - length, null);
      return bytes.toString('utf8', 0, length);
    } finally {
      closeSync(fd);
    }
  }
}

function writtenAt(file: string): number {
  try {
    return statSync(file).mtimeMs;
  } catch {
    return 0;
  }
}

function pathOf(url: string): string {
  try {
    return url.startsWith('file:') ? fileURLToPath(url) : url;
  } catch {
    return url;
  }
}

/** Relative sources are relative to the map, which usually lies beside the file. */
function sourceOf(given: string, file: string): string {
  const source = given.slice(0, longestName);
  if (source.startsWith('file:')) return pathOf(source);
  return /^[a-z-]+:\/\//.test(source) ? source : resolve(dirname(file), source);
}

function decoded(url: string): string {
  const [, encoding, body = ''] = /^data:[^,]*?(;base64)?,(.*)$/s.exec(url) ?? [];
  return encoding ? Buffer.from(body, 'base64').toString() : decodeURIComponent(body);
}
