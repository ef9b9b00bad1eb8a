// Reads why a process ends, or has ended, from what was written down. Pure; each function throws as those of fields.ts do.
import { type DeathCause, type DeathFrame, deathCauses, type EndReason } from '../../ipc/records/deaths.ts';
import type { Exit } from '../../ipc/views.ts';
import type { LastDeath } from '../process/death/death.ts';
import { countOf, fieldsOf, listOf, oneOf, orNull, signalOf, textOf, timeOf } from './fields.ts';

const causes = Object.keys(deathCauses) as DeathCause[];

export function causeOf(input: unknown): DeathCause {
  return oneOf(input, 'cause', causes);
}

export function reasonOf(input: unknown): EndReason {
  const { cause, by, detail, stack } = fieldsOf(input, 'why');
  return {
    cause: causeOf(cause),
    ...(by !== undefined && { by: textOf(by, 'by') }),
    ...(detail !== undefined && { detail: textOf(detail, 'detail') }),
    ...(stack !== undefined && { stack: framesOf(stack) }),
  };
}

export function summaryOf(input: unknown): LastDeath {
  const { cause, about, times, at, lastAt, frames, headline, exit, output, key } = fieldsOf(input, 'lastDeath');
  return {
    cause: causeOf(cause),
    about: textOf(about, 'about'),
    times: countOf(times, 'times'),
    at: timeOf(at, 'at'),
    lastAt: timeOf(lastAt, 'lastAt'),
    frames: framesOf(frames),
    headline: orNull(headline, 'headline', textOf),
    exit: exitOf(exit),
    output: listOf(output, 'output', (line) => textOf(line, 'output')),
    key: textOf(key, 'key'),
  };
}

export function exitOf(input: unknown): Exit {
  const { code, signal } = fieldsOf(input, 'exit');
  return { code: orNull(code, 'code', countOf), signal: orNull(signal, 'signal', signalOf) };
}

export function framesOf(input: unknown): DeathFrame[] {
  return listOf(input, 'frames', (frame) => {
    const { function: name, file, line, column } = fieldsOf(frame, 'frame');
    return {
      function: textOf(name, 'function'),
      file: textOf(file, 'file'),
      line: orNull(line, 'line', countOf),
      column: orNull(column, 'column', countOf),
    };
  });
}
