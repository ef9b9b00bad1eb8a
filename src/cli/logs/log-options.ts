// Parses the options of `nsv logs`.
import { BadValue, integer } from '../../config/options/parsers.ts';
import { detailOf, failure } from '../../shared/errors.ts';
import { parseMoment } from '../args/moment.ts';
import type { Input } from '../command.ts';
import type { LogFormat, LogOrigin } from '../render/log-line.ts';

const defaultLines = 15;

/** `now`: milliseconds since 1970. Throws BAD_OPTION with all errors. */
export function logOptionsOf(options: Input['options'], json: boolean, now: number) {
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
  const streams: LogOrigin['stream'][] = both ? ['out', 'err'] : [options.out ? 'out' : 'err'];
  const format: LogFormat = options.raw ? 'raw' : json ? 'json' : 'prefixed';
  return {
    past: { lines: since === undefined ? linesUntimed : lines, linesUntimed, since },
    // Lines are decoded only if there is a pattern.
    matches: grep ? (line: Buffer) => grep.test(line.toString()) !== Boolean(options.invert) : () => true,
    streams,
    /** Whether lines say where processes were started: not among those that a pattern selects. */
    showsStarts: format === 'prefixed' && !grep,
    look: { format, timestamp: Boolean(options.timestamp) },
  };
}
