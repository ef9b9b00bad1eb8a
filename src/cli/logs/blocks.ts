// The bytes of files, block by block: at a position, or from one to the end, compressed or not.
import { closeSync, constants, createReadStream, openSync, readSync, statSync } from 'node:fs';
import { isOurOutput } from './our-output.ts';

export const blockSize = 64 * 1024;

/** Fewer bytes than asked where the file ends. */
export function readAt(fd: number, position: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(size);
  return bytes.subarray(0, readSync(fd, bytes, 0, size, position));
}

/**
 * Undefined when there is no such file, or not for us: it may come. Nor are a directory and a FIFO in its place read, whose
 * bytes are somebody else's, nor what we write to.
 */
export function openForReading(file: string): number | undefined {
  try {
    const found = statSync(file);
    if (!found.isFile() || isOurOutput(found)) return undefined;
    return openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
}

/** What stands in a file that is not written any more, from a position that counts uncompressed bytes. */
export async function* blocksOf(file: string, from: number): AsyncGenerator<Buffer> {
  const fd = openForReading(file);
  if (fd === undefined) {
    // It has been compressed since it was found.
    if (!file.endsWith('.gz')) yield* uncompressed(`${file}.gz`, from);
  } else if (file.endsWith('.gz')) {
    closeSync(fd);
    yield* uncompressed(file, from);
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

/** As far as it can be read: the rest of a damaged file is no reason to show nothing of the others. */
async function* uncompressed(file: string, from: number): AsyncGenerator<Buffer> {
  const { createGunzip } = await import('node:zlib');
  const gunzip = createGunzip({ chunkSize: blockSize });
  createReadStream(file)
    .on('error', (error) => gunzip.destroy(error))
    .pipe(gunzip);
  let skip = from;
  try {
    for await (const bytes of gunzip as AsyncIterable<Buffer>) {
      if (bytes.length > skip) yield bytes.subarray(skip);
      skip = Math.max(0, skip - bytes.length);
    }
  } catch {
    // Gone, or damaged.
  }
}
