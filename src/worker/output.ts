// Output into a pipe, written as Node writes into a file: what was printed is out when the call returns. By itself Node
// writes pipes later, and an exit throws away what has not been written by then. And output into a log file on a full disk:
// it is lost, but no reason to end; nsv tells its user of the disk.
import { fstatSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { writeAtOnce } from './node-internals.ts';

const streams = [
  ['stdout', 1],
  ['stderr', 2],
] as const;

/** Each stream is changed when the app uses it first: to look at one makes it. */
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
    return stats.isFile() ? outliveFullDisk : undefined;
  } catch {
    return undefined;
  }
}

/** An app that listens for errors of its output hears of it as ever. */
function outliveFullDisk(stream: Writable): void {
  const write = stream._write;
  stream._write = (chunk, encoding, done) =>
    write.call(stream, chunk, encoding, (error) => done(isFull(error) && !isHeard(stream) ? null : error));
}

function isFull(error: NodeJS.ErrnoException | null | undefined): boolean {
  return error?.code === 'ENOSPC' || error?.code === 'EDQUOT';
}

/** `console` listens while it writes, by a function of this name that does nothing, and for no error that comes later. */
function isHeard(stream: Writable): boolean {
  return stream.listeners('error').some(({ name }) => name !== 'noop');
}
