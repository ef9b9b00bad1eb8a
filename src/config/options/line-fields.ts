// The rows of the option table that say how log lines look.
import { isoFormat, unknownTokens } from '../../shared/date-format.ts';
import type { Field } from './fields.ts';
import { BadValue, flag, oneOf, optional, type Parser, text } from './parsers.ts';

const field = <T>(row: Field<T>): Field<T> => row;

const dateFormat: Parser<string> = (input) => {
  const format = text(input);
  const unknown = unknownTokens(format).map((token) => `"${token}"`);
  if (unknown.length === 0 && !format.includes('\n')) return format;
  const problem = unknown.length === 0 ? 'be one line' : `have no ${unknown.join(', ')}`;
  throw new BadValue(`must ${problem}: use YYYY MM DD HH mm ss SSS Z and the like, and [brackets] around plain text`);
};

export const lineFields = {
  time: field({
    flag: '--time',
    doc: `put the time before each line of the log, as ${isoFormat}`,
    parse: flag,
    default: false,
  }),
  logDateFormat: field({
    flag: '--log-date-format <format>',
    doc: 'put the time before each line of the log in this format, such as "YYYY-MM-DD HH:mm:ss.SSS Z"',
    parse: optional(dateFormat),
    default: undefined,
  }),
  logPrefix: field({
    flag: '--log-prefix',
    doc: 'put name and slot before each line of the log',
    parse: flag,
    default: false,
  }),
  logType: field({
    flag: '--log-type <type>',
    doc: 'text, or json: each line becomes an object of time, level (out or err), app, slot, pid and message',
    parse: oneOf('text', 'json'),
    default: 'text',
  }),
  logMergeJson: field({
    flag: '--log-merge-json',
    doc: 'as --log-type json, but a line that is a JSON object itself keeps its fields and is given those it lacks',
    parse: flag,
    default: false,
  }),
} satisfies Record<string, Field<unknown>>;
