// Output into a pipe, written as Node writes into a file: what was printed is out when the call returns. By itself Node
// writes pipes later, and an exit throws away what has not been written by then.
import { fstatSync } from 'node:fs';
import { writeAtOnce } from './node-internals.ts';

const streams = [
  ['stdout', 1],
  ['stderr', 2],
] as const;

/** Each stream is changed when the app uses it first: to look at one makes it. */
export function printAtOnce(): void {
  for (const [name, fd] of streams) {
    const property = Object.getOwnPropertyDescriptor(process, name);
    if (!property?.get || !property.configurable || !isPipe(fd)) continue;
    const make = property.get;
    const get = () => {
      Object.defineProperty(process, name, property);
      const stream = make.call(process);
      writeAtOnce(stream);
      return stream;
    };
    Object.defineProperty(process, name, { ...property, get });
  }
}

function isPipe(fd: number): boolean {
  try {
    const stats = fstatSync(fd);
    return stats.isFIFO() || stats.isSocket();
  } catch {
    return false;
  }
}
