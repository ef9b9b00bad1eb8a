// Rotation and retention of the log files of an app: rows of the option table.
import type { Field } from './fields.ts';
import { flag, integer, type Parser, sizeOrNone, taking, text } from './parsers.ts';

const field = <T>(row: Field<T> & { default: NoInfer<T> }) => row;

/** Names for the most common patterns. */
const rhythms = { hourly: '0 * * * *', daily: '0 0 * * *', weekly: '0 0 * * 0' } as const;

/** The cron pattern of `--log-rotate`; undefined for "never". Does not validate the pattern: the caller does. */
export function rotationPattern(logRotate: string): string | undefined {
  if (logRotate === 'never') return undefined;
  return rhythms[logRotate as keyof typeof rhythms] ?? logRotate;
}

const rhythm: Parser<string> = taking({ type: 'string' }, (input) => text(input).trim());

export const logFields = {
  logMaxSize: field({
    flag: '--log-max-size <size>',
    doc: 'rotate a log file when it reaches this size; 0 for never',
    parse: sizeOrNone,
    default: 10 * 1024 ** 2,
    shown: '10M',
  }),
  logKeep: field({
    flag: '--log-keep <n>',
    doc: 'number of rotated files to keep per log file',
    parse: integer(0),
    default: 10,
  }),
  logRotate: field({
    flag: '--log-rotate <when>',
    doc: 'also rotate by time: hourly, daily, weekly, never, or a cron pattern',
    parse: rhythm,
    default: 'never',
  }),
  logTotal: field({
    flag: '--log-total <size>',
    doc: 'limit for all log files of the app: delete the oldest rotated ones; 0 for none',
    parse: sizeOrNone,
    default: 500 * 1024 ** 2,
    shown: '500M',
  }),
  logCompress: field({
    flag: '--no-log-compress',
    doc: 'do not compress rotated files (default: gzip all but the newest)',
    parse: flag,
    default: true,
  }),
} satisfies Record<string, Field<unknown>>;
