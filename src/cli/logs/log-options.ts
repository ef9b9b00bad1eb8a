// Parses the options of `nsv logs`.
import { BadValue, integer } from '../../config/options/parsers.ts';
import { detailOf, failure } from '../../shared/errors.ts';
import { parseMoment } from '../args/moment.ts';
import type { Input } from '../command.ts';
import type { LogLook, LogOrigin } from '../render/log-line.ts';
import type { PastLines } from './beginning.ts';

export interface LogOptions {
  past: PastLines;
  matches(line: Buffer): boolean;
  streams: LogOrigin['stream'][];
  look: Omit<LogLook, 'terminal' | 'colour'>;
  /** Whether lines say where processes were started: not among those that a pattern selects. */
  showsStarts: boolean;
}

const defaultLines = 15;

/** `now`: milliseconds since 1970. Throws BAD_OPTION with all errors. */
export function logOptionsOf(options: Input['options'], json: boolean, now: number): LogOptions {
  const problems: string[] = [];
  const read = <T>(name: string, read: (value: string) => T): T | undefined => {
    const value = options[name];
    if (value === undefined) return undefined;
    try {
      return read(String(value));
    } catch (error) {
      if (!(error instanceof BadValue || error instanceof SyntaxError)) throw error;
      problems.push(`--${name} ${detailOf(error)}`);
      return undefined;
    }
  };
  const lines = read('lines', integer(0, 1_000_000));
  const since = read('since', (value) => parseMoment(value, now));
  const grep = read('grep', (value) => new RegExp(value, options.ignoreCase ? 'i' : ''));
  const both = Boolean(options.out) === Boolean(options.err);
  if (options.raw && json) problems.push('--raw and --json cannot be combined');
  if (problems.length > 0) throw failure('BAD_OPTION', { problems });
  const linesUntimed = lines ?? defaultLines;
  return {
    past: { lines: since === undefined ? linesUntimed : lines, linesUntimed, since },
    // Lines are decoded only if there is a pattern.
    matches: grep ? (line) => grep.test(line.toString()) !== Boolean(options.invert) : () => true,
    streams: both ? ['out', 'err'] : [options.out ? 'out' : 'err'],
    showsStarts: !options.raw && !json && !grep,
    look: { format: options.raw ? 'raw' : json ? 'json' : 'prefixed', timestamp: Boolean(options.timestamp) },
  };
}
