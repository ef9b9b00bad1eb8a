// The format of log lines: rows of the option table.
import { isoFormat, unknownTokens } from '../../shared/date-format.ts';
import type { Field } from './fields.ts';
import { BadValue, flag, oneOf, optional, type Parser, text } from './parsers.ts';

const field = <T>(row: Field<T>): Field<T> => row;

const dateFormat: Parser<string> = (input) => {
  const format = text(input);
  const unknown = unknownTokens(format).map((token) => `"${token}"`);
  if (unknown.length === 0 && !format.includes('\n')) return format;
  const problem = unknown.length === 0 ? 'be a single line' : `not contain ${unknown.join(', ')}`;
  throw new BadValue(`must ${problem}: use tokens such as YYYY MM DD HH mm ss SSS Z, and [brackets] around plain text`);
};

export const lineFields = {
  time: field({
    flag: '--time',
    doc: `prefix each log line with the time (${isoFormat})`,
    parse: flag,
    default: false,
  }),
  logDateFormat: field({
    flag: '--log-date-format <format>',
    doc: 'prefix each log line with the time, such as "YYYY-MM-DD HH:mm:ss"',
    parse: optional(dateFormat),
    default: undefined,
  }),
  logPrefix: field({
    flag: '--log-prefix',
    doc: 'prefix each log line with name and slot',
    parse: flag,
    default: false,
  }),
  logType: field({
    flag: '--log-type <type>',
    doc: 'text, or json for one object per line (time, level, app, slot, pid, message)',
    parse: oneOf('text', 'json'),
    default: 'text',
  }),
  logMergeJson: field({
    flag: '--log-merge-json',
    doc: 'like --log-type json, but JSON objects keep their fields and get the missing ones',
    parse: flag,
    default: false,
  }),
} satisfies Record<string, Field<unknown>>;
