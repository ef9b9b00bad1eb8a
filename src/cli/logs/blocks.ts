// Reads files in blocks: at a position or from one to the end, compressed or not.
import { closeSync, createReadStream, fstatSync, readSync, type Stats } from 'node:fs';
import { openToRead } from '../../os/trust/open-to-read.ts';

export const blockSize = 64 * 1024;

/** Returns fewer bytes at the end of the file. */
export function readAt(fd: number, position: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(size);
  return bytes.subarray(0, readSync(fd, bytes, 0, size, position));
}

/**
 * Undefined if the file does not exist (yet) or may not be read. Skips directories, FIFOs (reading would take data from
 * their reader) and the output of this command.
 */
export function openForReading(file: string): number | undefined {
  try {
    const fd = openToRead(file);
    if (!isOurOutput(fstatSync(fd))) return fd;
    closeSync(fd);
    return undefined;
  } catch {
    return undefined;
  }
}

/** What `look` finds in a file, which is open meanwhile; undefined if it cannot be opened. */
export function lookInto<T>(file: string, look: (fd: number, stats: Stats) => T): T | undefined {
  const fd = openForReading(file);
  if (fd === undefined) return undefined;
  try {
    return look(fd, fstatSync(fd));
  } finally {
    closeSync(fd);
  }
}

/** Reads a file that is no longer written; `from` counts uncompressed bytes. */
export async function* blocksOf(file: string, from: number): AsyncGenerator<Buffer> {
  const fd = openForReading(file);
  if (fd === undefined) {
    // It has been compressed in the meantime.
    const compressed = file.endsWith('.gz') ? undefined : openForReading(`${file}.gz`);
    if (compressed !== undefined) yield* uncompressed(compressed, from);
  } else if (file.endsWith('.gz')) {
    yield* uncompressed(fd, from);
  } else {
    yield* plain(fd, from);
  }
}

async function* plain(fd: number, from: number): AsyncGenerator<Buffer> {
  try {
    for (let position = from; ; ) {
      const bytes = readAt(fd, position, blockSize);
      if (bytes.length === 0) return;
      position += bytes.length;
      yield bytes;
    }
  } finally {
    closeSync(fd);
  }
}

/** Reads as far as possible: a damaged file must not prevent showing the others. */
async function* uncompressed(fd: number, from: number): AsyncGenerator<Buffer> {
  const { createGunzip } = await import('node:zlib');
  const gunzip = createGunzip({ chunkSize: blockSize });
  const source = createReadStream('', { fd });
  source.on('error', (error) => gunzip.destroy(error)).pipe(gunzip);
  let skip = from;
  try {
    for await (const bytes of gunzip as AsyncIterable<Buffer>) {
      if (bytes.length > skip) yield bytes.subarray(skip);
      skip = Math.max(0, skip - bytes.length);
    }
  } catch {
    // The file is gone or damaged.
  } finally {
    source.destroy();
  }
}

/**
 * Whether a log is the output of this command itself: `nsv logs > file` would read and print its own output again, and `nsv flush > file`
 * would truncate it. /dev/stdout is a different file in each process.
 */
export function isOurOutput({ dev, ino }: Pick<Stats, 'dev' | 'ino'>): boolean {
  return [1, 2].some((fd) => {
    try {
      const ours = fstatSync(fd);
      return ours.dev === dev && ours.ino === ino;
    } catch {
      // The descriptor is closed.
      return false;
    }
  });
}
