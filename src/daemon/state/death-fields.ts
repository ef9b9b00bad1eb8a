// Reads why a process ends, or has ended, from what was written down. Pure; each function throws as those of fields.ts do.
import { type DeathCause, type DeathFrame, deathCauses, type EndReason } from '../../ipc/records/deaths.ts';
import type { Exit } from '../../ipc/views.ts';
import type { LastDeath } from '../process/death/death.ts';
import { orNull, readCount, readList, readObject, readOneOf, readText, readTime, signalOf } from './fields.ts';

const causes = Object.keys(deathCauses) as DeathCause[];

export function readCause(input: unknown): DeathCause {
  return readOneOf(input, 'cause', causes);
}

export function readReason(input: unknown): EndReason {
  const { cause, by, detail, stack } = readObject(input, 'why');
  return {
    cause: readCause(cause),
    ...(by !== undefined && { by: readText(by, 'by') }),
    ...(detail !== undefined && { detail: readText(detail, 'detail') }),
    ...(stack !== undefined && { stack: framesOf(stack) }),
  };
}

export function readSummary(input: unknown): LastDeath {
  const { cause, about, times, at, lastAt, frames, headline, exit, output, key } = readObject(input, 'lastDeath');
  return {
    cause: readCause(cause),
    about: readText(about, 'about'),
    times: readCount(times, 'times'),
    at: readTime(at, 'at'),
    lastAt: readTime(lastAt, 'lastAt'),
    frames: framesOf(frames),
    headline: orNull(headline, 'headline', readText),
    exit: exitOf(exit),
    output: readList(output, 'output', (line) => readText(line, 'output')),
    key: readText(key, 'key'),
  };
}

export function exitOf(input: unknown): Exit {
  const { code, signal } = readObject(input, 'exit');
  return { code: orNull(code, 'code', readCount), signal: orNull(signal, 'signal', signalOf) };
}

export function framesOf(input: unknown): DeathFrame[] {
  return readList(input, 'frames', (frame) => {
    const { function: name, file, line, column } = readObject(frame, 'frame');
    return {
      function: readText(name, 'function'),
      file: readText(file, 'file'),
      line: orNull(line, 'line', readCount),
      column: orNull(column, 'column', readCount),
    };
  });
}
