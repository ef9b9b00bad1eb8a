// What the options of `nsv logs` ask for.
import { BadValue, integer } from '../../config/parsers.ts';
import { detailOf, failure } from '../../shared/errors.ts';
import type { Input } from '../command.ts';
import type { LogFormat, LogOrigin } from '../render/log-line.ts';

export interface LogWishes {
  lines: number;
  grep: RegExp;
  streams: LogOrigin['stream'][];
  format: LogFormat;
}

/** Throws BAD_OPTION. */
export function logWishes(options: Input['options'], json: boolean): LogWishes {
  const both = Boolean(options.out) === Boolean(options.err);
  return {
    lines: wish('--lines', () => integer(0, 1_000_000)(options.lines ?? 15)),
    grep: wish('--grep', () => new RegExp(String(options.grep ?? ''))),
    streams: both ? ['out', 'err'] : [options.out ? 'out' : 'err'],
    format: options.raw ? 'raw' : json ? 'json' : 'prefixed',
  };
}

function wish<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof BadValue || error instanceof SyntaxError)) throw error;
    throw failure('BAD_OPTION', { problems: [`${name} ${detailOf(error)}`] });
  }
}
