// What a program has written to its log since a given moment, to explain why it failed.
import { closeSync, fstatSync, readSync, statSync } from 'node:fs';
import type { AppSpec } from '../../config/app-spec.ts';
import { openToRead } from '../../os/trust/open-to-read.ts';
import { fileOf, type Streams } from './streams.ts';

/** A process, and where its errors go. */
interface ErrorSource extends Pick<Streams, 'errorFile' | 'isUserFile'> {
  spec: Pick<AppSpec, 'uid'>;
}

interface Start {
  end: number;
  /** The user to whom the file has to belong. */
  owner: number | undefined;
}

const shownLines = 15;

export class ErrorOutput {
  readonly #starts = new Map<string, Start>();

  /** Starts at the current end of the files. Output that goes elsewhere is not seen. */
  constructor(sources: readonly ErrorSource[]) {
    for (const { spec, errorFile, isUserFile } of sources) {
      const file = fileOf(errorFile);
      if (file !== null)
        this.#starts.set(file, { end: endOf(file), owner: isUserFile?.(file) ? Number(spec.uid) : undefined });
    }
  }

  /** Bytes of the only file at the start; undefined if there is none. */
  get begin(): number | undefined {
    const [start] = this.#starts.values();
    return start?.end;
  }

  /** At most the last lines. */
  lines(most = shownLines): string[] {
    return [...this.#starts]
      .filter(([file, { end }]) => endOf(file) !== end)
      .flatMap(([file, { end, owner }]) => linesSince(file, end, most, owner))
      .slice(-most);
  }
}

const reach = 64 * 1024;

/** Characters per line. Node quotes the whole line that threw, which in a bundle can be a megabyte. */
const longestLine = 500;

/** The current end of the file, for `linesSince`; 0 if the file does not exist or cannot be accessed. */
function endOf(file: string): number {
  try {
    return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  } catch {
    return 0;
  }
}

/**
 * At most the last `count` lines after `offset`, with long ones cut; empty if the file cannot be read, or belongs to
 * another user than `owner`.
 */
export function linesSince(file: string, offset: number, count: number, owner?: number): string[] {
  let fd: number | undefined;
  try {
    fd = openToRead(file, owner);
    const { size } = fstatSync(fd);
    const from = Math.max(offset <= size ? offset : 0, size - reach);
    const bytes = Buffer.alloc(size - from);
    const length = readSync(fd, bytes, 0, bytes.length, from);
    const lines = bytes.toString('utf8', 0, length).split('\n');
    return lines
      .filter((line) => line.trim() !== '')
      .slice(-count)
      .map((line) => (line.length > longestLine ? `${line.slice(0, longestLine)}…` : line));
  } catch {
    return [];
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
