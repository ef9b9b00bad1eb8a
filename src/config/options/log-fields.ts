// The log files of an app, the format of their lines, and their rotation: rows of the option table.
import { isoFormat, unknownTokens } from '../../shared/date-format.ts';
import { field, optionalField, toggle } from './field.ts';
import { BadValue, integer, oneOf, type Parser, sizeOrNone, taking, text } from './parsers.ts';

const dateFormat: Parser<string> = (input) => {
  const format = text(input);
  const unknown = unknownTokens(format).map((token) => `"${token}"`);
  if (unknown.length === 0 && !format.includes('\n')) return format;
  const problem = unknown.length === 0 ? 'be a single line' : `not contain ${unknown.join(', ')}`;
  throw new BadValue(`must ${problem}: use tokens such as YYYY MM DD HH mm ss SSS Z, and [brackets] around plain text`);
};

/** Names for the most common patterns. */
const rhythms = { hourly: '0 * * * *', daily: '0 0 * * *', weekly: '0 0 * * 0' } as const;

/** The cron pattern of `--log-rotate`; undefined for "never". Does not validate the pattern: the caller does. */
export function rotationPattern(logRotate: string): string | undefined {
  if (logRotate === 'never') return undefined;
  return rhythms[logRotate as keyof typeof rhythms] ?? logRotate;
}

const rhythm: Parser<string> = taking({ type: 'string' }, (input) => text(input).trim());

export const logFields = {
  outFile: optionalField({
    flag: '-o, --output <file>',
    doc: 'file for standard output',
    shown: 'in the nsv home',
    parse: text,
  }),
  errorFile: optionalField({
    flag: '-e, --error <file>',
    doc: 'file for standard error',
    shown: 'in the nsv home',
    parse: text,
  }),
  logFile: optionalField({
    flag: '-l, --log <file>',
    doc: 'one file for both outputs of all instances',
    parse: text,
  }),
  pidFile: optionalField({
    flag: '--pid-file <file>',
    doc: 'file that contains the pid (of the second instance: with -1 before the extension)',
    parse: text,
  }),
  mergeLogs: toggle('--merge-logs', 'one log file for all instances'),
  time: toggle('--time', `prefix each log line with the time (${isoFormat})`),
  logDateFormat: optionalField({
    flag: '--log-date-format <format>',
    doc: 'prefix each log line with the time, such as "YYYY-MM-DD HH:mm:ss"',
    parse: dateFormat,
  }),
  logPrefix: toggle('--log-prefix', 'prefix each log line with name and slot'),
  logType: field({
    flag: '--log-type <type>',
    doc: 'text, or json for one object per line (time, level, app, slot, pid, message)',
    parse: oneOf('text', 'json'),
    default: 'text',
  }),
  logMergeJson: toggle(
    '--log-merge-json',
    'like --log-type json, but JSON objects keep their fields and get the missing ones',
  ),
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
  logCompress: toggle('--no-log-compress', 'do not compress rotated files (default: gzip all but the newest)'),
};
