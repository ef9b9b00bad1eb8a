// What becomes of the log files of an app: rows of the option table.
import type { Field } from './fields.ts';
import { flag, integer, type Parser, sizeOrNone, taking, text } from './parsers.ts';

const field = <T>(row: Field<T> & { default: NoInfer<T> }) => row;

/** Words for the patterns that people mean most. */
const rhythms = { hourly: '0 * * * *', daily: '0 0 * * *', weekly: '0 0 * * 0' } as const;

/** The cron pattern of `--log-rotate`; undefined for "never". Whether it is one is found out by who uses it. */
export function rotationPattern(logRotate: string): string | undefined {
  if (logRotate === 'never') return undefined;
  return rhythms[logRotate as keyof typeof rhythms] ?? logRotate;
}

const rhythm: Parser<string> = taking({ type: 'string' }, (input) => text(input).trim());

export const logFields = {
  logMaxSize: field({
    flag: '--log-max-size <size>',
    doc: 'rotate a log file when it has grown to this size; 0 for never',
    parse: sizeOrNone,
    default: 10 * 1024 ** 2,
    shown: '10M',
  }),
  logKeep: field({
    flag: '--log-keep <n>',
    doc: 'how many rotated files of each log file to keep',
    parse: integer(0),
    default: 10,
  }),
  logRotate: field({
    flag: '--log-rotate <when>',
    doc: 'rotate by time too: hourly, daily, weekly, never, or a cron pattern',
    parse: rhythm,
    default: 'never',
  }),
  logTotal: field({
    flag: '--log-total <size>',
    doc: 'delete the oldest rotated files of the app when all its log files together are larger; 0 for never',
    parse: sizeOrNone,
    default: 500 * 1024 ** 2,
    shown: '500M',
  }),
  logCompress: field({
    flag: '--no-log-compress',
    doc: 'leave rotated files as they are instead of compressing all but the newest (gzip)',
    parse: flag,
    default: true,
  }),
} satisfies Record<string, Field<unknown>>;
