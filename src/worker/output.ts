// Makes output robust. Writes to a pipe become synchronous, as Node's writes to a file are: otherwise an exit discards
// whatever is still queued. Writes to a log file on a full disk are dropped instead of ending the app; nsv warns the
// user about the disk.
import { fstatSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { writeAtOnce } from './node-sockets.ts';

const streams = [
  ['stdout', 1],
  ['stderr', 2],
] as const;

/** Changes each stream when the app first uses it, because reading the property creates the stream. */
export function prepareOutput(): void {
  for (const [name, fd] of streams) {
    const property = Object.getOwnPropertyDescriptor(process, name);
    const change = changeFor(fd);
    if (!property?.get || !property.configurable || !change) continue;
    const make = property.get;
    const get = () => {
      Object.defineProperty(process, name, property);
      const stream = make.call(process);
      change(stream);
      return stream;
    };
    Object.defineProperty(process, name, { ...property, get });
  }
}

function changeFor(fd: number): ((stream: Writable) => void) | undefined {
  try {
    const stats = fstatSync(fd);
    if (stats.isFIFO() || stats.isSocket()) return writeAtOnce;
    return stats.isFile() ? dropWhenDiskIsFull : undefined;
  } catch {
    return undefined;
  }
}

/** An app that listens for errors of its output still gets them. */
function dropWhenDiskIsFull(stream: Writable): void {
  const write = stream._write;
  stream._write = (chunk, encoding, done) =>
    write.call(stream, chunk, encoding, (error) => done(isFull(error) && !hasErrorListener(stream) ? null : error));
}

function isFull(error: NodeJS.ErrnoException | null | undefined): boolean {
  return error?.code === 'ENOSPC' || error?.code === 'EDQUOT';
}

/** While it writes, `console` adds a no-op listener of this name, which does not handle later errors. */
function hasErrorListener(stream: Writable): boolean {
  return stream.listeners('error').some(({ name }) => name !== 'noop');
}
